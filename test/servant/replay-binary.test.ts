import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, Rig } from '../rig.ts';

test('replay finds its recordings in DISPATCH_REPLAY_DIR', async () => {
	await using rig = await Rig.create();
	await rig.write('../recordings/review.md', answers.review!);
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	const run = rig.start(['run', 't1', '--force-task-provider', 'replay'], { env: { DISPATCH_REPLAY_DIR: join(rig.base, 'recordings') } });
	expect((await run.ended).exitCode).toBe(0);
	expect(await rig.read('.tmp/task/t1/outputs/replay_review.replay.out')).toBe(answers.review);
	expect((await rig.stats('t1')).paid_calls_used).toBe(0);
});

test('a recorded signal is class killed', async () => {
	await using rig = await Rig.create();
	await rig.write('../recordings/review.jsonl', '{"type":"thread.started","thread_id":"th-1"}\n');
	await rig.write('../recordings/review.exit', '{"code":null,"signal":"SIGTERM","wall_ms":1629}');
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	const run = rig.start(['run', 't1', '--force-task-provider', 'replay'], { env: { DISPATCH_REPLAY_DIR: join(rig.base, 'recordings') } });
	expect((await run.ended).exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'killed', reason: 'the servant was ended by SIGTERM' });
});

test('replay without recordings is a setting to mend, and a recorded refusal asks for no login of its own', async () => {
	await using rig = await Rig.create();
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	expect((await rig.dispatch('run', 't1', '--force-task-provider', 'replay')).exitCode).toBe(6);
	expect(await rig.lastFailure('t1')).toMatchObject({
		class: 'config_error',
		reason: 'no directory of recordings; set DISPATCH_REPLAY_DIR or args in the servant file',
	});
	await rig.write('recordings/review.jsonl', await readFile(new URL('../fixtures/streams/claude/e401.jsonl', import.meta.url), 'utf8'));
	await rig.write('recordings/review.exit', '1');
	const env = { DISPATCH_REPLAY_DIR: join(rig.root, 'recordings') };
	expect((await rig.start(['run', 't1'], { env }).ended).exitCode).toBe(6);
	expect(await rig.lastFailure('t1')).toMatchObject({
		class: 'auth',
		next_action: 'login: replay has no login; let another servant or recording answer, then dispatch run t1',
	});
});
