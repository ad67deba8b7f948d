import { expect, test } from 'vitest';
import { answers, geminiSays, Rig } from '../rig.ts';

test('a packet that is completed says so instead of running again', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	await rig.dispatch('run', 't1');
	const again = await rig.dispatch('run', 't1');
	expect(again).toMatchObject({ exitCode: 0, stdout: 't1 is completed already; dispatch run t1 --fresh runs it again\n', stderr: '' });
	expect((await rig.dispatch('run', 't1', '--quiet')).stdout).toBe('');
	expect(rig.seen('calls')).toHaveLength(1);
});
