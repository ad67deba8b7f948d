import { expect, test } from 'vitest';
import { BoundedOutput } from '../../src/process/bounded-output.ts';
import { type Command, runCommand } from '../../src/process/run-command.ts';
import { isRunning, Zoo } from './zoo.ts';

const command = (zoo: Zoo, text: string, more: Partial<Command> = {}): Command => ({
	command: text,
	cwd: zoo.dir,
	env: { PATH: process.env.PATH ?? '' },
	timeoutSec: 30,
	maxOutputBytes: 10_000,
	...more,
});

test('a command’s exit code and what it wrote to stdout and stderr are given in order', async () => {
	await using zoo = await Zoo.create();
	expect(await runCommand(command(zoo, 'echo one; echo two >&2; echo three; cat; pwd; exit 5'))).toEqual({
		exitCode: 5,
		signal: null,
		timedOut: false,
		aborted: false,
		startFailure: null,
		output: `one\ntwo\nthree\n${zoo.dir}\n`,
		outputTruncated: false,
		durationSec: expect.any(Number),
		survivors: [],
	});
});

test('a script may open /dev/stdout and /dev/stderr by name', async () => {
	await using zoo = await Zoo.create();
	expect(await runCommand(command(zoo, 'echo a >/dev/stdout; echo b >/dev/stderr; echo c'))).toMatchObject({
		exitCode: 0,
		output: 'a\nb\nc\n',
	});
});

test('a limit of more than 25 days is no limit of a moment', async () => {
	await using zoo = await Zoo.create();
	expect(await runCommand(command(zoo, 'echo done', { timeoutSec: 3_000_000 }))).toMatchObject({ exitCode: 0, timedOut: false });
});

test('at the time limit everything of the command is ended, grandchildren and sessions of their own too', async () => {
	await using zoo = await Zoo.create();
	const text = 'setsid sh -c "echo \\$\\$ >hard; trap \\"\\" TERM; while :; do sleep 1; done" & echo begun; sleep 60';
	const result = await runCommand(command(zoo, text, { timeoutSec: 0.5, graceMs: 200 }));
	expect(result).toMatchObject({ timedOut: true, aborted: false, exitCode: null, signal: 'SIGTERM', output: 'begun\n', survivors: [] });
	expect(result.durationSec).toBeLessThan(3);
	expect(isRunning(await zoo.pid('hard'))).toBe(false);
});

test('a child in the background that holds the output open neither delays the result nor lives on', async () => {
	await using zoo = await Zoo.create();
	const result = await runCommand(command(zoo, 'sleep 60 & echo $! >child; echo done'));
	expect(result).toMatchObject({ exitCode: 0, output: 'done\n', timedOut: false });
	expect(result.durationSec).toBeLessThan(10);
	expect(isRunning(await zoo.pid('child'))).toBe(false);
});

test('a command that writes forever costs no more memory than it is allowed, and shows both ends', async () => {
	await using zoo = await Zoo.create();
	const result = await runCommand(
		command(zoo, 'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last', { maxOutputBytes: 1000 }),
	);
	expect(result).toMatchObject({ exitCode: 0, outputTruncated: true });
	expect(result.output).toMatch(/^first\nx+\n… 29999012 bytes left out …\nx+\nlast\n$/);
	expect(result.output.length).toBeLessThan(1100);
});

test('a command can be aborted', async () => {
	await using zoo = await Zoo.create();
	const stop = new AbortController();
	const running = runCommand(command(zoo, 'echo $$ >up; exec sleep 60', { signal: stop.signal }));
	const pid = await zoo.pid('up');
	stop.abort();
	expect(await running).toMatchObject({ aborted: true, timedOut: false, signal: 'SIGTERM' });
	expect(isRunning(pid)).toBe(false);
});

test('a command that ignores SIGTERM is ended at once when that is asked', async () => {
	await using zoo = await Zoo.create();
	const stop = new AbortController();
	const running = runCommand(
		command(zoo, 'trap "" TERM; echo $$ >up; while :; do sleep 1; done', { immediately: stop.signal, graceMs: 60_000 }),
	);
	const pid = await zoo.pid('up');
	stop.abort();
	expect(await running).toMatchObject({ aborted: true, signal: 'SIGKILL' });
	expect(isRunning(pid)).toBe(false);
});

test('a working directory that does not exist is a failure to start, not an exit code', async () => {
	await using zoo = await Zoo.create();
	const result = await runCommand(command(zoo, 'touch ran', { cwd: zoo.path('gone') }));
	expect(result).toMatchObject({ exitCode: null, signal: null, startFailure: expect.stringContaining('ENOENT') });
});

test('output is kept whole up to its limit, and beyond it head and tail stay', () => {
	const feed = (most: number, ...chunks: string[]) => {
		const kept = new BoundedOutput(most);
		for (const chunk of chunks) kept.add(Buffer.from(chunk));
		return [kept.shown(), kept.truncated];
	};
	expect(feed(6, 'abc', 'def')).toEqual(['abcdef', false]);
	expect(feed(6, 'abcdefg')).toEqual(['abc\n… 1 bytes left out …\nefg', true]);
	expect(feed(6, ...'abcdefghijklmnop')).toEqual(['abc\n… 10 bytes left out …\nnop', true]);
	expect(feed(6, 'a', 'bcdefgh', '', 'i')).toEqual(['abc\n… 3 bytes left out …\nghi', true]);
});

test('what is edited is seen whole before it is cut, and of half a secret at a cut nothing is shown', () => {
	const secret = 'ghp_0123456789';
	const hide = (text: string) => text.replaceAll(secret, '*');
	const shown = (...chunks: string[]) => {
		const kept = new BoundedOutput(16, 32);
		for (const chunk of chunks) kept.add(Buffer.from(chunk));
		return kept.shown(hide);
	};
	const dots = '.'.repeat(100);
	expect(shown(secret, '.')).toBe('*.');
	// Across the cut at either end; then across the end of the margin.
	expect(shown('....', secret, '....')).toBe('....\n… 14 bytes left out …\n....');
	expect(shown('....', secret, dots, secret, '....')).toBe('....\n… 128 bytes left out …\n....');
	expect(shown('.'.repeat(34), secret, dots, secret, '.'.repeat(34))).toBe('........\n… 180 bytes left out …\n........');
});
