import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../src/contract/outcome.ts';
import { pins } from './pins.ts';

const INSTALL_MS = 5 * 60_000;

/** The directory of the pinned programs' commands, installed once per user and set of pins. `DISPATCH_REAL_CLIS` names one that is there. */
export async function installed(): Promise<Outcome<string, string>> {
	const given = process.env.DISPATCH_REAL_CLIS;
	if (given) return found(join(given, 'node_modules/.bin'));
	const hash = createHash('sha256').update(Object.values(pins).join(' ')).digest('hex').slice(0, 12);
	const dir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dispatch-real-clis', hash);
	try {
		mkdirSync(dirname(dir), { recursive: true });
		const release = await lock(`${dir}.lock`);
		try {
			if (!existsSync(dir)) install(dir);
		} finally {
			release();
		}
	} catch (error) {
		return { ok: false, failures: [error instanceof Error ? error.message : String(error)] };
	}
	return found(join(dir, 'node_modules/.bin'));
}

function found(bin: string): Outcome<string, string> {
	return existsSync(bin) ? { ok: true, value: bin } : { ok: false, failures: [`${bin} is not there`] };
}

/** Beside its place and then moved: what is there is whole. */
function install(dir: string): void {
	const growing = `${dir}.growing`;
	rmSync(growing, { recursive: true, force: true });
	mkdirSync(growing);
	console.log(`installing ${Object.values(pins).join(', ')}`);
	execFileSync('npm', ['install', '--prefix', growing, '--no-audit', '--no-fund', '--loglevel=error', ...Object.values(pins)], {
		cwd: growing,
		stdio: ['ignore', 'inherit', 'inherit'],
		timeout: INSTALL_MS,
	});
	renameSync(growing, dir);
}

/** A directory is made by one process only. One that outlived any installation was left by a process that died. */
async function lock(path: string): Promise<() => void> {
	const deadline = Date.now() + 2 * INSTALL_MS;
	for (;;) {
		try {
			mkdirSync(path);
			return () => rmSync(path, { recursive: true, force: true });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		}
		const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
		if (Date.now() - since > INSTALL_MS + 60_000) rmSync(path, { recursive: true, force: true });
		else if (Date.now() > deadline) throw new Error(`${path} is held by another installation`);
		else await pause(200);
	}
}
