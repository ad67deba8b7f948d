import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { wrapperScript } from '../../src/process/wrapper-script.ts';
import { until, Zoo } from './zoo.ts';

const shells = [
	['/bin/dash', []],
	['/bin/bash', []],
	['/bin/bash', ['--posix']],
].filter(([shell]) => existsSync(shell as string)) as [string, string[]][];

function run(
	zoo: Zoo,
	[shell, flags]: [string, string[]],
	{
		limit = '',
		record = zoo.path('record'),
		word = `go dispatch-${zoo.token}\n`,
		command,
		files = ['', '', '', ''],
	}: { limit?: string; record?: string; word?: string; files?: string[]; command: string[] },
) {
	const err = openSync(zoo.path('err'), 'a');
	const env = { PATH: process.env.PATH, DISPATCH_ATTEMPT: zoo.token };
	const args = [...flags, '-c', wrapperScript, `dispatch-${zoo.token}`, record, limit, '22', ...files, ...command];
	const child = spawn(shell, args, { detached: true, env, stdio: ['ignore', 'ignore', err, err, 'pipe'] });
	(child.stdio[4] as Writable).end(word);
	return { pid: child.pid!, exited: new Promise<number | null>((settle) => child.once('exit', settle)) };
}

test.each(shells)('%s %s: claims once, records the exit, calls its watchdog off', async (...shell) => {
	await using zoo = await Zoo.create();
	expect(await run(zoo, shell, { limit: '60', command: ['sh', '-c', 'exit 7'] }).exited).toBe(7);
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 7 });
	await until(() => zoo.carriers.length === 0, 'the watchdog to end');
	expect(await run(zoo, shell, { command: ['touch', zoo.path('ran')] }).exited).toBe(125);
	expect(existsSync(zoo.path('ran'))).toBe(false);
	expect(await zoo.read('err')).toBe('');
});

test.each(shells)(
	'%s %s: survives SIGTERM, SIGINT and SIGHUP while the servant runs, and the servant does not inherit that',
	async (...shell) => {
		await using zoo = await Zoo.create();
		const servant = await zoo.animal('servant', 'echo $$ >"$ZOO/pid"; exec sleep 60');
		const wrapper = run(zoo, shell, { limit: '60', command: [servant] });
		const pid = await zoo.pid('pid');
		for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(wrapper.pid, signal);
		process.kill(pid, 'SIGINT');
		expect(await wrapper.exited).toBe(130);
		expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 130, signal: 'SIGINT' });
		await until(() => zoo.carriers.length === 0, 'the watchdog to end');
	},
);

test.each(shells)(
	'%s %s: opens the files it is told of when its word has come, and appends; without one of them it claims nothing',
	async (...shell) => {
		await using zoo = await Zoo.create();
		const files = ['in', 'out', 'own', 'errors'].map((name) => zoo.path(name));
		for (const [n, file] of files.entries()) await writeFile(file, n === 0 ? 'asked' : 'before ');
		expect(await run(zoo, shell, { files, command: ['sh', '-c', 'cat; echo sorry >&2; echo again >>/dev/stderr'] }).exited).toBe(0);
		expect(await Promise.all(['out', 'own', 'errors'].map((name) => zoo.read(name)))).toEqual([
			'before asked',
			'before ',
			'before sorry\nagain\n',
		]);
		const record = zoo.path('other-record');
		const gone = [zoo.path('gone'), ...files.slice(1)];
		expect(await run(zoo, shell, { files: gone, record, limit: '60', command: ['touch', zoo.path('ran')] }).exited).toBe(125);
		expect([existsSync(record), existsSync(zoo.path('ran'))]).toEqual([false, false]);
		await until(() => zoo.carriers.length === 0, 'the nap of its watchdog to end');
	},
);

test.each(shells)('%s %s: says "limit" before it ends its group', async (...shell) => {
	await using zoo = await Zoo.create();
	await run(zoo, shell, { limit: '1', command: ['sleep', '60'] }).exited;
	expect((await zoo.read('record')).split('\n').slice(1)).toEqual(['limit', 'exit 143', '']);
});

test.each(shells)('%s %s: a program that is missing is named by the wrapper itself', async (...shell) => {
	await using zoo = await Zoo.create();
	expect(await run(zoo, shell, { command: [zoo.path('missing')] }).exited).toBe(127);
	expect((await zoo.read('err')).startsWith(`dispatch-${zoo.token}:`)).toBe(true);
});

test.each(shells)('%s %s: on a full disk, where the claim cannot be written, the servant is not run', async (...shell) => {
	await using zoo = await Zoo.create();
	expect(await run(zoo, shell, { record: '/dev/full', command: ['touch', zoo.path('ran')] }).exited).toBe(125);
	expect(existsSync(zoo.path('ran'))).toBe(false);
});

test.each(shells)('%s %s: without a word to begin, or with half of it, nothing is claimed and nothing run', async (...shell) => {
	await using zoo = await Zoo.create();
	for (const word of ['', 'g']) {
		expect(await run(zoo, shell, { word, command: ['touch', zoo.path('ran')] }).exited).toBe(125);
		expect([existsSync(zoo.path('ran')), existsSync(zoo.path('record'))]).toEqual([false, false]);
	}
});
