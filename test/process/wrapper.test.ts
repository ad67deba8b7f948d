import { existsSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { neverReached } from '../../src/process/never-reached.ts';
import { startWrapper } from '../../src/process/wrapper.ts';
import { isRunning, until, Zoo } from './zoo.ts';

test('the wrapper records its start and its exit, and keeps stdout and stderr in files of their own', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('echo out; echo err >&2; exit 3');
	expect(await wrapper.exited).toEqual({ code: 3 });
	expect(zoo.record).toEqual({
		state: 'exited',
		pid: wrapper.pid,
		startTime: wrapper.startTime,
		exitCode: 3,
		signal: null,
		limitHit: false,
	});
	expect([await zoo.read('stream'), await zoo.read('err'), await zoo.read('wrapper.err')]).toEqual(['out\n', 'err\n', '']);
	await until(() => zoo.carriers.length === 0, 'the watchdog to end');
});

test('a wrapper that is not told to begin exits 125, has claimed nothing and never runs the servant', async () => {
	await using zoo = await Zoo.create();
	const started = await startWrapper(zoo.whatToStart(await zoo.animal('animal', 'touch "$ZOO/ran"')));
	if (!started.ok) throw new Error(started.failures[0].message);
	started.value.abandon();
	expect(await started.value.exited).toEqual({ code: 125 });
	expect([existsSync(zoo.path('ran')), zoo.record.state]).toEqual([false, 'none']);
	await until(() => zoo.carriers.length === 0, 'the nap of its watchdog to end');
});

test('the servant does not inherit the pipe on which its wrapper was told to begin', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('for fd in 3 4 5; do ( : <&"$fd" ) 2>/dev/null && echo "$fd"; done; true');
	await wrapper.exited;
	expect(await zoo.read('stream')).toBe('');
});

test.each([
	[0, null],
	[1, null],
	[125, null],
	[137, 'SIGKILL'],
	[143, 'SIGTERM'],
	[144, null],
	[255, null],
])('exit code %i is recorded, with the signal it may stand for: %s', async (exitCode, signal) => {
	await using zoo = await Zoo.create();
	await (await zoo.start(`exit ${exitCode}`)).exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode, signal });
});

test('a servant killed by a signal is recorded with the code a shell gives it', async () => {
	await using zoo = await Zoo.create();
	await (await zoo.start('kill -KILL $$')).exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 137, signal: 'SIGKILL' });
});

test('the prompt arrives on stdin byte for byte, and stdin ends after it', async () => {
	await using zoo = await Zoo.create();
	const prompt = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 256));
	await writeFile(zoo.path('prompt'), prompt);
	await (await zoo.start('cat >"$ZOO/got"', { promptFile: zoo.path('prompt') })).exited;
	expect(prompt.equals(await readFile(zoo.path('got')))).toBe(true);
});

test('without a prompt stdin is empty, so a servant that reads it does not hang', async () => {
	await using zoo = await Zoo.create();
	await (await zoo.start('cat; echo end')).exited;
	expect(await zoo.read('stream')).toBe('end\n');
});

test('arguments with blanks, quotes, newlines and dollar signs reach the servant unchanged', async () => {
	await using zoo = await Zoo.create();
	const args = ['a b', "'", '"', '$HOME', 'line\nline', '', '-n', '*'];
	await (await zoo.start('for a do printf "<%s>" "$a"; done', { args })).exited;
	expect(await zoo.read('stream')).toBe(args.map((arg) => `<${arg}>`).join(''));
});

test('a wrapper that finds its record taken exits 125 and never runs the servant', async () => {
	await using zoo = await Zoo.create();
	await writeFile(zoo.path('record'), 'cancelled\n');
	const wrapper = await zoo.start('touch "$ZOO/ran"');
	const { code } = await wrapper.exited;
	expect(code).toBe(125);
	expect(existsSync(zoo.path('ran'))).toBe(false);
	expect(await zoo.read('record')).toBe('cancelled\n');
	await until(() => zoo.carriers.length === 0, 'the nap of its watchdog to end');
});

test('files that may hold secrets are readable by their owner only, while the servant keeps the usual umask', async () => {
	await using zoo = await Zoo.create();
	await (await zoo.start('umask >"$ZOO/mask"')).exited;
	for (const name of ['record', 'stream', 'err', 'wrapper.err']) expect(statSync(zoo.path(name)).mode & 0o777, name).toBe(0o600);
	expect(Number.parseInt(await zoo.read('mask'), 8)).toBe(process.umask());
});

test('a working directory that does not exist is named, and the record proves that nothing was run', async () => {
	await using zoo = await Zoo.create();
	const started = await startWrapper(zoo.whatToStart('/bin/true', { cwd: zoo.path('gone') }));
	expect(started).toMatchObject({ ok: false, failures: [{ kind: 'workdir', code: 'ENOENT', cancelled: true }] });
	expect(zoo.record.state).toBe('cancelled');
});

test('a stream file that is there already is never written to again', async () => {
	await using zoo = await Zoo.create();
	await writeFile(zoo.path('stream'), 'paid for');
	const started = await startWrapper(zoo.whatToStart('/bin/true'));
	expect(started).toMatchObject({ ok: false, failures: [{ kind: 'files', code: 'EEXIST', cancelled: true }] });
	expect(await zoo.read('stream')).toBe('paid for');
});

test('a command line too long for the system is a spawn failure with a cancelled record', async () => {
	await using zoo = await Zoo.create();
	const started = await startWrapper(zoo.whatToStart('/bin/true', { args: ['x'.repeat(200_000)] }));
	expect(started).toMatchObject({ ok: false, failures: [{ kind: 'spawn', code: 'E2BIG', cancelled: true }] });
	expect(zoo.record.state).toBe('cancelled');
});

test('a program that cannot be executed was provably never reached; one that exits 127 by itself was', async () => {
	await using zoo = await Zoo.create();
	const missing = await startWrapper(zoo.whatToStart(zoo.path('no-such-program')));
	if (missing.ok) missing.value.proceed();
	const wrapperExit = missing.ok ? (await missing.value.exited).code : null;
	const facts = { token: zoo.token, record: zoo.record, wrapperExit, stdoutBytes: 0, stderrHead: await zoo.read('err') };
	expect(facts.record).toMatchObject({ state: 'exited', exitCode: 127 });
	expect(neverReached(facts)).toBe(true);
	expect(neverReached({ ...facts, stderrHead: 'npm: command not found' })).toBe(false);
	expect(neverReached({ ...facts, stdoutBytes: 1 })).toBe(false);
	expect(neverReached({ ...facts, record: { ...facts.record, exitCode: 1 } })).toBe(false);
	expect(neverReached({ ...facts, record: { ...facts.record, exitCode: 125 }, wrapperExit: 125 })).toBe(false);
	expect(neverReached({ ...facts, record: { ...facts.record, state: 'none' }, wrapperExit: 125 })).toBe(true);
	expect(neverReached({ ...facts, record: { ...facts.record, state: 'none' }, wrapperExit: null })).toBe(false);
});

test('at the hard limit the wrapper ends its group by itself, a grandchild that ignores SIGTERM too', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('(trap "" TERM; echo $$ >"$ZOO/up"; while :; do sleep 1; done) & exec sleep 60', { hardLimitSec: 1 });
	await wrapper.exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 143, signal: 'SIGTERM', limitHit: true });
	// The stubborn one has its ten seconds.
	await until(() => zoo.carriers.length === 0, 'the group to be ended', 15_000);
});

test('a servant that holds its prompt, its streams and a child open does not keep the wrapper from recording its exit', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('sleep 60 & echo $! >"$ZOO/child"; exit 0');
	await wrapper.exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 0 });
	expect(isRunning(await zoo.pid('child'))).toBe(true);
});
