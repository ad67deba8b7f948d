import { expect, test } from 'vitest';
import { story } from '../journal/story.ts';
import { Rig } from '../rig.ts';

async function project(): Promise<Rig> {
	const rig = await Rig.create();
	const at = (n: number) => ({ created_at: `2026-03-01T12:00:0${n}Z` });
	await rig.packet('it-plan', { goal: 'Plan ImageTransform system', task_type: 'plan', group: 'v2', ...at(1) });
	await rig.packet('it-impl', {
		goal: 'Implement it',
		task_type: 'implement',
		group: 'v2',
		based_on: 'it-plan',
		scope: { allow: ['src'] },
		...at(2),
	});
	await rig.packet('it-review', { goal: 'Review it', task_type: 'review', group: 'v2', based_on: 'it-impl', ...at(3) });
	await rig.packet('lone', { goal: 'Fix stats bug', task_type: 'task', scope: { allow: ['src'] }, ...at(4) });
	const told = story('it-plan');
	const events = [told.run(['claude_plan']), told.passed('claude_plan'), told.finished()];
	await rig.write('.tmp/task/it-plan/state/events.jsonl', events.map((event) => `${JSON.stringify(event)}\n`).join(''));
	return rig;
}

const shown = async (rig: Rig, ...args: string[]) => (await rig.dispatch(...args)).stdout;

test('status, groups and next show the packets as they stand', async () => {
	await using rig = await project();
	expect(await shown(rig, 'status')).toBe(
		[
			'Group: v2',
			'  ✓ it-plan    Plan ImageTransform system          completed  03/01',
			'  ○ it-impl    Implement it                        pending',
			'  ○ it-review  Review it                           pending (blocked by it-impl)',
			'',
			'(ungrouped)',
			'  ○ lone  Fix stats bug                       pending',
			'',
		].join('\n'),
	);
	expect(await shown(rig, 'status', 'v2')).toMatch(/^Group: v2\n(.*\n){3}$/);
	expect(await shown(rig, 'groups')).toBe(
		['v2                3 tasks (2 pending, 1 completed)', '(ungrouped)       1 task', ''].join('\n'),
	);
	expect(await shown(rig, 'next')).toBe(
		['it-impl  [implement] Implement it', 'lone     [task] Fix stats bug', '', '(1 task blocked by dependencies)', ''].join('\n'),
	);
	expect(await shown(rig, 'next', '--all')).toContain('it-review  [review] Review it (blocked by it-impl)\n');
	expect(await rig.dispatch('status', 'v3')).toMatchObject({
		exitCode: 2,
		stderr: 'dispatch: there is no group "v3"; did you mean "v2"?\n',
	});
});

test('every listing has one JSON document', async () => {
	await using rig = await project();
	const json = async (...args: string[]) => JSON.parse(await shown(rig, ...args, '--json')) as Record<string, object[]>;
	expect((await json('status', 'v2')).packets).toMatchObject([
		{ task_id: 'it-plan', status: 'completed', group: 'v2', task_type: 'plan', blocked_by: [] },
		{ task_id: 'it-impl', status: 'pending', based_on: 'it-plan' },
		{ task_id: 'it-review', blocked_by: ['it-impl'], depends_on: ['it-impl'] },
	]);
	expect(await json('groups')).toEqual({
		groups: [
			{ group: 'v2', tasks: 3, counts: { completed: 1, pending: 2 } },
			{ group: null, tasks: 1, counts: { pending: 1 } },
		],
	});
	expect(await json('next')).toMatchObject({ packets: [{ task_id: 'it-impl' }, { task_id: 'lone' }], blocked: 1 });
});

test('edit moves a packet between groups and leaves the rest of the manifest alone', async () => {
	await using rig = await project();
	const text = '# mine\ntask_id: x\ngoal:   "G"   # spaces\ngroup: v2 # old\n\nrouting: {intent: review_only}\n';
	await rig.write('.tmp/task/x/manifest.yaml', text);
	expect(await rig.dispatch('edit', 'x', '--group', 'v3')).toMatchObject({ exitCode: 0, stdout: 'x is in group v3\n' });
	expect(await rig.read('.tmp/task/x/manifest.yaml')).toBe(text.replace('v2', 'v3'));
	expect((await rig.dispatch('edit', 'x', '--group', '')).stdout).toBe('x is in no group\n');
	expect(await rig.read('.tmp/task/x/manifest.yaml')).toBe(text.replace('group: v2 # old\n', '# old\n'));
	expect((await rig.dispatch('edit', 'x')).exitCode).toBe(2);
	for (const command of [
		['edit', 'x'],
		['add', 'y', 'goal'],
	])
		expect(await rig.dispatch(...command, '--group', '(ungrouped)')).toMatchObject({
			exitCode: 2,
			stderr: 'dispatch: "(ungrouped)" is what listings call those in no group; --group "" takes a packet out of its group\n',
		});
	expect(rig.has('.tmp/task/x/state/lock')).toBe(false);
});

test('review makes a packet only for what is completed, and not with a wrong flag', async () => {
	await using rig = await project();
	expect(await rig.dispatch('review', 'it-impl')).toMatchObject({
		exitCode: 7,
		stderr: 'it-impl is not completed (pending); there is nothing to review yet\n',
	});
	expect((await rig.dispatch('review', 'it-plan', '--provider', 'nobody')).exitCode).toBe(2);
	expect(rig.has('.tmp/task/it-plan-review')).toBe(false);
});
