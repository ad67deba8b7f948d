import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { endAttempt, sweepToken } from '../../src/process/end-attempt.ts';
import type { WaitingShell } from '../../src/process/waiting-shell.ts';
import { watchDescendants } from '../../src/process/watch-descendants.ts';
import { isRunning, until, Zoo } from './zoo.ts';

const remember = (zoo: Zoo, wrapper: WaitingShell) => watchDescendants({ token: zoo.token, root: wrapper, intervalMs: null });

/** Each writes the number of its hardest member to the file `hard` when it is up. */
const animals: Record<string, string> = {
	'one that just runs': 'echo $$ >"$ZOO/hard"; exec sleep 60',
	'one with grandchildren': 'sh -c "sh -c \'echo \\$\\$ >$ZOO/hard; sleep 60; :\'; :" & wait',
	'one whose tool has a session of its own': 'setsid sh -c "echo \\$\\$ >$ZOO/hard; exec sleep 60" & wait',
	'one that forks twice, so that its child belongs to init': '(setsid sh -c "echo \\$\\$ >$ZOO/hard; exec sleep 60" &) ; sleep 60',
	'one that never writes': 'echo $$ >"$ZOO/hard"; while :; do sleep 60; done',
	'one that writes forever without a newline': 'echo $$ >"$ZOO/hard"; while :; do printf aaaaaaaaaaaaaaaa; done',
	'one that is stopped': '(echo $$ >"$ZOO/hard"; kill -STOP $$; sleep 60) & wait',
};

test.each(Object.entries(animals))('%s is ended gently and completely, and its wrapper records it', async (_, body) => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(body);
	const hard = await zoo.pid('hard');
	const began = Date.now();
	expect(await endAttempt({ remembered: remember(zoo, wrapper), wrapperPid: wrapper.pid })).toEqual({ survivors: [] });
	expect(Date.now() - began).toBeLessThan(5000); // the grace is ten seconds: nobody sat it out
	expect([isRunning(hard), zoo.carriers]).toEqual([false, []]);
	await wrapper.exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 143, signal: 'SIGTERM' });
});

const stubborn = 'trap "" TERM INT HUP; (setsid sh -c "echo \\$\\$ >$ZOO/hard; while :; do sleep 1; done" &); while :; do sleep 1; done';

test('one that ignores SIGTERM is killed after its grace, and the wrapper still writes the exit', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(stubborn);
	const hard = await zoo.pid('hard');
	const began = Date.now();
	expect(await endAttempt({ remembered: remember(zoo, wrapper), wrapperPid: wrapper.pid, graceMs: 300 })).toEqual({ survivors: [] });
	expect(Date.now() - began).toBeGreaterThanOrEqual(300);
	expect([isRunning(hard), zoo.carriers]).toEqual([false, []]);
	await wrapper.exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 137, signal: 'SIGKILL' });
});

test('a second Ctrl-C ends at once what the first one asked gently', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(stubborn);
	await zoo.pid('hard');
	const second = new AbortController();
	const ending = endAttempt({ remembered: remember(zoo, wrapper), wrapperPid: wrapper.pid, graceMs: 60_000, immediately: second.signal });
	second.abort();
	expect(await ending).toEqual({ survivors: [] });
	expect(zoo.carriers).toEqual([]);
});

test('what cleans up after SIGTERM is given the time for it', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('trap "echo saved >$ZOO/saved; exit 0" TERM; echo $$ >"$ZOO/hard"; while :; do sleep 0.05; done');
	await zoo.pid('hard');
	await endAttempt({ remembered: remember(zoo, wrapper), wrapperPid: wrapper.pid });
	expect(await zoo.read('saved')).toBe('saved\n');
	await wrapper.exited;
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 0 });
});

test('one that empties its environment, forks twice and calls setsid is found because it was seen before it fled', async () => {
	await using zoo = await Zoo.create();
	const flee =
		'env -i setsid sh -c "echo \\$\\$ >$ZOO/hard; while [ ! -e $ZOO/flee ]; do sleep 0.02; done; sleep 60 & echo \\$! >$ZOO/fled"';
	const wrapper = await zoo.start(`${flee} & wait; sleep 60`);
	await zoo.pid('hard');
	const remembered = remember(zoo, wrapper);
	remembered.look();
	await zoo.animal('flee', '');
	const fled = await zoo.pid('fled');
	// Parent, token and wrapper's group are all gone from it; only its session was seen.
	expect(zoo.carriers).not.toContain(fled);
	expect(await endAttempt({ remembered, wrapperPid: wrapper.pid })).toEqual({ survivors: [] });
	expect([isRunning(fled), zoo.carriers]).toEqual([false, []]);
});

test('when the wrapper alone was killed its servant lives on; it is found and ended, the watchdog too, without waiting out the grace', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('echo $$ >"$ZOO/hard"; exec sleep 60');
	const hard = await zoo.pid('hard');
	process.kill(wrapper.pid, 'SIGKILL');
	expect(await wrapper.exited).toEqual({ code: null });
	expect([isRunning(hard), zoo.record.state]).toEqual([true, 'started']);
	const began = Date.now();
	expect(await sweepToken(zoo.token, { graceMs: 10_000 })).toEqual({ survivors: [] });
	expect(Date.now() - began).toBeLessThan(5000);
	expect([isRunning(hard), zoo.carriers]).toEqual([false, []]);
});

test('what a finished servant left in the background is swept by its token', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('(setsid sleep 60 &); exit 0');
	await wrapper.exited;
	expect(await sweepToken(zoo.token)).toEqual({ survivors: [] });
	expect(zoo.carriers).toEqual([]);
});

test('ending an attempt twice, or one that has ended by itself, does nothing', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('exit 0');
	await wrapper.exited;
	const remembered = remember(zoo, wrapper);
	for (let i = 0; i < 2; i++) expect(await endAttempt({ remembered, wrapperPid: wrapper.pid })).toEqual({ survivors: [] });
	expect(zoo.record).toMatchObject({ state: 'exited', exitCode: 0 });
});

test('a process that has the wrapper’s number but another start time is left alone', async () => {
	await using zoo = await Zoo.create();
	const bystander = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
	try {
		await until(() => isRunning(bystander.pid!), 'the bystander');
		const remembered = watchDescendants({ token: zoo.token, root: { pid: bystander.pid!, startTime: '1' }, intervalMs: null });
		expect(await endAttempt({ remembered, wrapperPid: bystander.pid!, graceMs: 50 })).toEqual({ survivors: [] });
		expect(isRunning(bystander.pid!)).toBe(true);
	} finally {
		bystander.kill('SIGKILL');
	}
});
