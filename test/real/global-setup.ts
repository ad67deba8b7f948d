import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installed } from './install.ts';
import { type Loopback, startLoopback } from './loopback.ts';
import { type RealTool, realTools, versionOf } from './pins.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** Absolute path of each program that can be run. */
		programs: Partial<Record<RealTool, string>>;
		/** Of the model server. */
		port: number;
		requestLog: string;
		enter: readonly string[];
	}
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-real-'));
	const requestLog = join(dir, 'requests.jsonl');
	writeFileSync(requestLog, '');
	const bin = await installed();
	const loopback = await startLoopback(requestLog);
	if (!bin.ok) loudly(`the agent CLIs could not be installed: ${bin.failures[0]}`);
	project.provide('programs', bin.ok ? programsIn(bin.value, loopback, dir) : {});
	project.provide('port', loopback.port);
	project.provide('requestLog', requestLog);
	project.provide('enter', loopback.enter);
	const where = loopback.enter.length > 0 ? 'a network namespace with nothing but loopback' : 'the host’s network: proxies are refused';
	console.log(`the CLIs run in ${where}\n`);
	return async () => {
		await loopback.close();
		rmSync(dir, { recursive: true, force: true });
	};
}

/** A program that does not say its pinned version is not the one to be tested. */
function programsIn(bin: string, { enter }: Loopback, home: string): Partial<Record<RealTool, string>> {
	const found: Partial<Record<RealTool, string>> = {};
	for (const tool of realTools) {
		const [command, ...args] = [...enter, join(bin, tool), '--version'];
		const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: home };
		const { stdout, stderr, error } = spawnSync(command!, args, { env, cwd: home, encoding: 'utf8', timeout: 60_000 });
		const said = `${stdout ?? ''}`.trim().split('\n')[0] ?? '';
		if (said.includes(versionOf(tool))) found[tool] = join(bin, tool);
		else loudly(`${tool} is not ${versionOf(tool)}: ${said || error?.message || stderr || 'it says nothing'}`);
		console.log(`${tool.padEnd(9)}${said}`);
	}
	return found;
}

function loudly(what: string): void {
	console.warn(`\n!!! SKIPPED: ${what}\n`);
}
