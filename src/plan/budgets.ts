import type { Manifest } from '../contract/manifest.ts';
import { manifestDefaults } from '../contract/manifest.ts';
import { own } from '../contract/own.ts';
import type { Budgets, PlannedStage } from '../contract/plan.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';

export function budgetsOf({ budgets }: Manifest): Budgets {
	return {
		retry_budget: budgets?.retry_budget ?? manifestDefaults.retry_budget,
		paid_call_budget: budgets?.paid_call_budget ?? manifestDefaults.paid_call_budget,
		max_wallclock_sec: budgets?.max_wallclock_sec || manifestDefaults.max_wallclock_sec,
		max_steps: budgets?.max_steps ?? null,
		max_cost_usd: budgets?.max_cost_usd ?? null,
	};
}

/** A budget that cannot hold, or cannot be watched, is said before anything is paid. */
export function warnOfBudgets(input: PlanInput, stages: readonly PlannedStage[], notes: Notes): void {
	const budgets = budgetsOf(input.manifest);
	const paid = stages.filter(({ tool }) => isPaid(input, tool));
	if (paid.length > budgets.paid_call_budget) {
		const at = input.manifest.budgets?.paid_call_budget === undefined ? null : ['budgets', 'paid_call_budget'];
		const planned = paid.length === 1 ? 'the one call that is planned' : `the ${paid.length} calls that are planned`;
		notes.warn(`paid_call_budget ${budgets.paid_call_budget} is below ${planned}`, { at });
	}
	if (budgets.max_cost_usd === null) return;
	for (const stage of paid) {
		const unknown = unknownCost(input, stage);
		if (unknown !== null) notes.warn(`max_cost_usd cannot be held for ${stage.name}: ${unknown}`, { at: ['budgets', 'max_cost_usd'] });
	}
}

type CostFacts = Pick<PlanInput, 'config' | 'reportsCost'>;

function isPaid({ config }: CostFacts, tool: string): boolean {
	return own(config.merged.servants, tool)?.paid ?? tool !== 'replay';
}

/** Why nobody can tell what a stage costs; null where somebody can, or it is free. */
export function unknownCost(facts: CostFacts, { tool, model }: Pick<PlannedStage, 'tool' | 'model'>): string | null {
	if (!isPaid(facts, tool) || isCostKnown(facts, tool, model)) return null;
	const what = model === null ? `${tool} with its own default model` : `${tool} ${model}`;
	return `the cost of ${what} cannot be known without prices in its servant file`;
}

function isCostKnown({ config, reportsCost }: CostFacts, tool: string, model: string | null): boolean {
	const file = own(config.merged.servants, tool);
	const reports = reportsCost?.(tool) ?? tool === 'claude';
	return reports || file?.stream?.cost_usd !== undefined || (model !== null && own(file?.prices, model) !== undefined);
}
