import { stageOf } from '../journal/packet-state.ts';
import { orderOf } from './stage-order.ts';
import type { SummarySource } from './summary-shape.ts';

/** What a reader should know although nothing failed. Each once. */
export function warningsOf({ plan, state, warnings = [], changedInputs = [] }: SummarySource): string[] {
	const stages = orderOf(plan, state).map((name) => stageOf(state, name));
	const refused = stages.flatMap(({ stage, handoff }) =>
		(handoff?.refused_commands ?? []).map(
			(command) => `${stage} proposed a verify command that is not allowed; it did not run: ${command}`,
		),
	);
	const switched = stages.flatMap(({ stage, tool, meta }) =>
		meta?.fallback_from ? [`${stage} fell back from ${meta.fallback_from} to ${tool ?? meta.tool}`] : [],
	);
	const changed = changedInputs.map((stage) => `${stage}: inputs changed since this stage ran`);
	return [...new Set([...switched, ...changed, ...refused, ...warnings, ...(plan?.warnings ?? [])])];
}
