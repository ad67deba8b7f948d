import { expect, test } from 'vitest';
import { awaitExit } from '../../src/process/await-exit.ts';
import { sweepToken } from '../../src/process/end-attempt.ts';
import { identityOf } from '../../src/process/identity.ts';
import { Zoo } from './zoo.ts';

const waiting = 'echo $$ >"$ZOO/up"; while [ ! -e "$ZOO/go" ]; do sleep 0.02; done; exit 4';

test('an adopted wrapper is awaited until its record has the exit', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(waiting);
	await zoo.pid('up');
	const exit = awaitExit({ recordFile: zoo.path('record'), wrapper: identityOf(wrapper.pid)! });
	await zoo.animal('go', '');
	expect(await exit).toMatchObject({ state: 'exited', exitCode: 4 });
});

test('an adopted wrapper that is killed is noticed, though its record never gets an exit', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(waiting);
	await zoo.pid('up');
	const exit = awaitExit({ recordFile: zoo.path('record'), wrapper: identityOf(wrapper.pid)! });
	process.kill(wrapper.pid, 'SIGKILL');
	expect(await exit).toMatchObject({ state: 'started', exitCode: null });
	await sweepToken(zoo.token);
	expect(zoo.carriers).toEqual([]);
});

test('whoever waits can stop waiting and leave the wrapper running', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start(waiting);
	await zoo.pid('up');
	const stop = new AbortController();
	const exit = awaitExit({ recordFile: zoo.path('record'), wrapper: identityOf(wrapper.pid)!, signal: stop.signal });
	stop.abort();
	expect((await exit).state).toBe('started');
	await zoo.animal('go', '');
	await wrapper.exited;
});
