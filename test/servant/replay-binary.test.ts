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
