import { Plan, type PlannedStage } from '../contract/plan.ts';
import { type PacketState, stageOf } from '../journal/packet-state.ts';
import { readMarker } from '../packet/marker.ts';
import type { PacketNames } from '../packet/names.ts';
import { readJson } from '../packet/read.ts';
import { withDependents } from '../plan/dependents.ts';
import { keepDone, planChanges } from '../plan/diff-plans.ts';
import type { RunOrder } from './run-order.ts';

export interface ContinuedPlan {
	readonly plan: Plan;
	readonly warnings: readonly string[];
	/** Stages to run again on purpose, by the names they have now, and by those they had: what they left then counts no more. */
	readonly rerun: readonly string[];
	/** What state/plan.json says; null where it is gone. */
	readonly previous: Plan | null;
}

/**
 * Stages that are done keep what they were planned with, their name too, whatever would be resolved for them by now; for the others
 * configuration may have changed, and that is said. A stage that is run again on purpose is one of the others.
 */
export function continuedPlan(names: PacketNames, plan: Plan, state: PacketState, again: RunOrder['again'] = null): ContinuedPlan {
	const previous = readJson(names.plan, Plan);
	if (previous === null || previous.profile !== plan.profile) {
		return { plan, warnings: [], rerun: stagesAgain(plan, again).map((stage) => stage.name), previous };
	}
	const before = previous.stages.map((stage) => stage.name);
	const done = before.filter((name) => isDone(names, state, name));
	const open = before.filter((name) => stageOf(state, name).open !== null);
	const rerun = new Set(stagesAgain(keepDone(previous, plan, done, open), again).map((stage) => stage.written));
	const runsAgain = (stage: PlannedStage) => rerun.has(stage.written);
	const namesAgain = (stages: readonly PlannedStage[]) => stages.filter(runsAgain).map((stage) => stage.name);

	const kept = done.filter((name) => !namesAgain(previous.stages).includes(name));
	const next = keepDone(previous, plan, kept, open);
	return {
		plan: next,
		warnings: planChanges(previous, plan, kept).map((change) => `changed since the last run: ${change}`),
		rerun: [...new Set([...namesAgain(next.stages), ...namesAgain(previous.stages)])],
		previous,
	};
}

/** Where the journal is lost, a marker is believed. */
function isDone(names: PacketNames, state: PacketState, stage: string): boolean {
	return stageOf(state, stage).status === 'passed' || (state.runs === 0 && readMarker(names, stage) !== null);
}

function stagesAgain(plan: Plan, again: RunOrder['again']): readonly PlannedStage[] {
	if (again === null) return [];
	if (again === 'all') return plan.stages;
	const chosen = withDependents(plan, [again.from]);
	return plan.stages.filter((stage) => chosen.includes(stage.name));
}
