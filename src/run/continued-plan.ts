import { Plan } from '../contract/plan.ts';
import { type PacketState, stageOf } from '../journal/packet-state.ts';
import type { PacketNames } from '../packet/names.ts';
import { readJson } from '../packet/read.ts';
import { keepDone, planChanges } from '../plan/diff-plans.ts';

export interface ContinuedPlan {
	readonly plan: Plan;
	readonly warnings: string[];
	/** What state/plan.json says; null where it is gone. */
	readonly previous: Plan | null;
}

/** Stages that are done keep what they were planned with; for the others configuration may have changed, and that is said. */
export function continuedPlan(names: PacketNames, plan: Plan, state: PacketState): ContinuedPlan {
	const previous = readJson(names.plan, Plan);
	if (previous === null || previous.profile !== plan.profile) return { plan, warnings: [], previous };
	const done = plan.stages.map((stage) => stage.name).filter((name) => stageOf(state, name).status === 'passed');
	const changes = planChanges(previous, plan, done).map((change) => `changed since the last run: ${change}`);
	return { plan: keepDone(previous, plan, done), warnings: changes, previous };
}
