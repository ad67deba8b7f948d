import { expect, test } from 'vitest';
import { explore, queueRig } from './queue-rig.ts';

test('archive puts a finished packet away, keeps one that is needed, and deletes only when told', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-a');
	await explore(rig, 'p-b', { depends_on: 'p-a' });
	await rig.dispatch('run', 'p-a');
	expect(await rig.dispatch('archive', 'p-a')).toMatchObject({ exitCode: 1, stderr: 'p-a stays:\n  p-b (pending) depends on p-a\n' });
	await rig.dispatch('run', 'p-b');
	expect(await rig.dispatch('archive', 'p-a', 'p-b')).toMatchObject({
		exitCode: 0,
		stdout: 'p-b → .tmp/archive/p-b\np-a → .tmp/archive/p-a\n',
	});
	for (const command of ['archive', 'show', 'logs'])
		expect(await rig.dispatch(command, 'p-a'), command).toMatchObject({
			exitCode: 2,
			stderr: 'dispatch: p-a is archived in .tmp/archive/p-a\n',
		});
	expect(await rig.read('.tmp/archive/p-a/outputs/_summary.md')).toContain('status: completed');
	expect(rig.has('.tmp/archive/p-a/done/fake_explore.done') || rig.has('.tmp/archive/p-a/done/explore.done')).toBe(true);
	expect(await rig.dispatch('archive', 'p-a', '--delete')).toMatchObject({ exitCode: 0, stdout: 'p-a deleted from the archive\n' });
	expect(rig.has('.tmp/archive/p-a')).toBe(false);
	expect(rig.has('.tmp/archive/p-b')).toBe(true);
});

test('--older-than takes finished packets of that age and leaves the others without a word', async () => {
	await using rig = await queueRig();
	for (const id of ['p-old', 'p-new', 'p-pending']) await explore(rig, id);
	await rig.dispatch('run', 'p-old', 'p-new');
	const journal = await rig.read('.tmp/task/p-old/state/events.jsonl');
	await rig.write('.tmp/task/p-old/state/events.jsonl', journal.replaceAll(/"time":"[^"]*"/g, '"time":"2020-01-01T00:00:00.000Z"'));
	expect(await rig.dispatch('archive', '--older-than', '7d')).toMatchObject({
		exitCode: 0,
		stdout: 'p-old → .tmp/archive/p-old\n',
		stderr: '',
	});
	expect(await rig.dispatch('archive', '--older-than', '7d')).toMatchObject({ exitCode: 0, stdout: 'nothing is that old\n' });
	expect(await rig.dispatch('archive', '--older-than', '7d', '--delete')).toMatchObject({ stdout: 'p-old deleted from the archive\n' });
	expect(await rig.dispatch('archive', '--older-than', 'soon')).toMatchObject({ exitCode: 2 });
	expect(await rig.dispatch('archive')).toMatchObject({ exitCode: 2 });
});
