import { expect, test } from 'vitest';
import { setBudget } from '../../src/cli/set-budget.ts';

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
