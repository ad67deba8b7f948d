import { expect, test } from 'vitest';
import { setBudget } from '../../src/cli/set-budget.ts';
import { Rig } from '../rig.ts';

test.each([
	[
		'a value that is there',
		'task_id: a\nbudgets:\n  paid_call_budget: 3 # enough\n  retry_budget: 1\n',
		'task_id: a\nbudgets:\n  paid_call_budget: 7 # enough\n  retry_budget: 1\n',
	],
	['no budgets yet', '# mine\ntask_id: a # x', '# mine\ntask_id: a # x\nbudgets:\n  paid_call_budget: 7\n'],
	[
		'budgets without it',
		'task_id: a\nbudgets: # money\n  retry_budget: 1\n',
		'task_id: a\nbudgets:\n  # money\n  retry_budget: 1\n  paid_call_budget: 7\n',
	],
	['budgets left empty', 'task_id: a\nbudgets:\ngoal: b # why\n', 'task_id: a\ngoal: b # why\nbudgets:\n  paid_call_budget: 7\n'],
	['a flow map', '{ task_id: a, budgets: { paid_call_budget: 3 } }\n', '{ task_id: a, budgets: { paid_call_budget: 7 } }\n'],
])('a budget is set and comments stay: %s', (_, before, after) => {
	expect(setBudget(before, 'paid_call_budget', 7)).toBe(after);
});

test('a number of calls that no manifest may hold is wrong usage, and changes nothing', async () => {
	await using rig = await Rig.create();
	await rig.packet('t1', { task_type: 'explore' });
	const before = await rig.read('.tmp/task/t1/manifest.yaml');
	const ran = await rig.dispatch('budget', 't1', '--paid-calls', '1e99');
	expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--paid-calls takes a whole number from 0 on, not "1e99"') });
	expect(await rig.read('.tmp/task/t1/manifest.yaml')).toBe(before);
});
