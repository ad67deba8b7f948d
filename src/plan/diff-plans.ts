import type { Plan, PlannedStage } from '../contract/plan.ts';
import { freeName } from './name-stages.ts';

const fields = ['tool', 'model', 'effort', 'timeout_sec', 'timeout_mode', 'max_steps'] as const;

/** What a resumed packet resolves otherwise than before, for stages not yet done: `codex_review: model gpt-5.5 → gpt-5-codex (…)`. */
export function planChanges(previous: Plan, next: Plan, doneStages: readonly string[]): string[] {
	const changes: string[] = [];
	for (const stage of next.stages) {
		const before = sameStage(previous, stage);
		if (before === undefined) changes.push(`${stage.name}: not in the plan before`);
		else if (!doneStages.includes(before.name)) changes.push(...stageChanges(before, stage));
	}
	for (const stage of previous.stages) {
		if (sameStage(next, stage) === undefined) changes.push(`${stage.name}: no longer in the plan`);
	}
	return changes;
}

function stageChanges(before: PlannedStage, after: PlannedStage): string[] {
	return fields
		.filter((field) => before[field] !== after[field])
		.map(
			(field) => `${before.name}: ${field} ${before[field] ?? 'none'} → ${after[field] ?? 'none'} (${after.sources[field] ?? 'unknown'})`,
		);
}

/** Stages are the same if they are written the same: a routed one changes its name with its tool. */
function sameStage(plan: Plan, stage: PlannedStage): PlannedStage | undefined {
	return plan.stages.find(({ written }) => written === stage.written);
}

/**
 * The next plan, with the entries that stages already done were run with. A stage whose attempt is still open keeps its name alone, so that
 * the attempt is found; the rest of it is resolved anew.
 */
export function keepDone(previous: Plan, next: Plan, doneStages: readonly string[], openStages: readonly string[] = []): Plan {
	const among = (names: readonly string[]) => (stage: PlannedStage) => {
		const before = sameStage(previous, stage);
		return before !== undefined && names.includes(before.name) ? before : undefined;
	};
	const [done, named] = [among(doneStages), among([...doneStages, ...openStages])];
	const taken = new Set(next.stages.flatMap((stage) => named(stage)?.name ?? []));
	const names = new Map<string, string>();
	for (const stage of next.stages) {
		const name = named(stage)?.name ?? freeName(stage.name, `${stage.tool}_${stage.role}`, taken);
		taken.add(name);
		names.set(stage.name, name);
	}
	const stages = next.stages.map((stage) => ({
		...(done(stage) ?? stage),
		name: names.get(stage.name)!,
		needs: stage.needs.map((need) => names.get(need) ?? need),
	}));
	return { ...next, stages };
}
