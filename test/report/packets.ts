import type { Plan, PlannedStage } from '../../src/contract/plan.ts';

export function planOf(names: readonly string[], change: Partial<Plan> = {}): Plan {
	return {
		schema: 1,
		task_id: 't1',
		task_type: null,
		intent: 'review_cross',
		group: 'review',
		profile: 'review_cross',
		workspace: 'inplace',
		digest_policy: 'auto',
		options: {},
		budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 900, max_steps: null, max_cost_usd: null },
		warnings: [],
		stages: names.map((name) => plannedStage(name)),
		...change,
	};
}

export function plannedStage(name: string, change: Partial<PlannedStage> = {}): PlannedStage {
	const [tool, ...role] = name.split('_');
	return {
		name,
		written: name,
		tool: tool!,
		role: role.join('_'),
		purpose: 'review',
		access: 'read',
		model: null,
		effort: null,
		timeout_sec: 900,
		timeout_mode: 'enforce',
		max_steps: 50,
		needs: [],
		fallback: [],
		sources: {},
		...change,
	};
}
