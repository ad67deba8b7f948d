import { expect, test } from 'vitest';
import type { DispatchEvent } from '../../src/contract/event.ts';
import { begun, explore, queueRig } from './queue-rig.ts';

test('watch runs what is dropped, tells what is invalid, runs it after it is corrected, and ends with an interruption', async () => {
	await using rig = await queueRig();
	const watch = rig.start(['watch', '--jobs', '2', '--json']);
	await explore(rig, 'p-good');
	await rig.until('the good one ran', () => rig.seen('log').includes('end p-good'));
	await rig.write('.tmp/task/p-wrong/manifest.yaml', 'task_id: p-wrong\ngoall: x\ntask_type: explore\n');
	await rig.until('the wrong one has its summary', () => rig.has('.tmp/task/p-wrong/outputs/_summary.md'));
	expect(await rig.summary('p-wrong')).toContain('did you mean "goal"?');
	expect(rig.has('.tmp/task/p-wrong/state')).toBe(false);
	await explore(rig, 'p-wrong');
	await rig.until('the corrected one ran', async () => (await rig.summary('p-wrong')).includes('status: completed'));
	watch.child.kill('SIGINT');
	const { exitCode, stdout } = await watch.ended;
	expect(exitCode).toBe(130);
	const events = stdout
		.trimEnd()
		.split('\n')
		.map((line) => JSON.parse(line) as DispatchEvent);
	expect(events.filter((event) => event.type === 'run_finished').map((event) => event.task_id)).toEqual(['p-good', 'p-wrong']);
	expect(begun(rig)).toEqual(['p-good', 'p-wrong']);
});

test('watch --once drains the queue and ends; what failed before is not run again', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-bad');
	await rig.let('bad-p-bad');
	expect((await rig.dispatch('watch', '--once')).exitCode).toBe(1);
	await explore(rig, 'p-a');
	await explore(rig, 'p-b', { depends_on: 'p-a' });
	await explore(rig, 'p-c', { depends_on: 'p-bad' });
	const watch = await rig.dispatch('watch', '--once');
	expect(watch.exitCode).toBe(0);
	expect(watch.stdout.trimEnd().split('\n').at(-1)).toBe('(1 task blocked by dependencies)');
	expect(begun(rig)).toEqual(['p-bad', 'p-a', 'p-b']);
});

test('two watchers share what is dropped and run nothing twice', async () => {
	await using rig = await queueRig();
	const watchers = [rig.start(['watch', '--jobs', '2']), rig.start(['watch', '--jobs', '2'])];
	const ids = Array.from({ length: 20 }, (_, n) => `p${n}`);
	for (const id of ids) await explore(rig, id);
	await rig.until('all ran', () => rig.seen('log').filter((line) => line.startsWith('end ')).length >= ids.length);
	await rig.until('all are completed', async () => {
		const texts = await Promise.all(ids.map((id) => rig.summary(id)));
		return texts.every((text) => text.includes('status: completed'));
	});
	for (const { child } of watchers) child.kill('SIGTERM');
	for (const { ended } of watchers) expect((await ended).exitCode).toBe(130);
	expect(begun(rig).sort()).toEqual(ids.sort());
});
