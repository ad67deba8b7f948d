import type { Meta, Usage } from '../contract/meta.ts';
import type { Stats } from '../contract/state-files.ts';
import type { PacketState } from './packet-state.ts';

/** `state/stats.json`, derived. */
export function statsOf(state: PacketState): Stats {
	const metas = state.metas;
	return {
		schema: 1,
		paid_calls_used: state.calls.used,
		paid_calls_in_doubt: state.calls.inDoubt,
		stages_completed: [...state.stages.values()].filter((stage) => stage.status === 'passed').map((stage) => stage.stage),
		signatures: { ...state.signatures },
		steps: total(metas, (meta) => meta.num_steps_computed ?? meta.num_steps_reported),
		num_steps_reported: total(metas, (meta) => meta.num_steps_reported),
		num_steps_computed: total(metas, (meta) => meta.num_steps_computed),
		num_turns_reported: total(metas, (meta) => meta.num_turns_reported),
		usage: usageOf(metas),
		cost_usd: costOf(metas),
	};
}

/** Who was called for a stage until it last passed before this attempt, and neither since then nor now: their work is over. */
export function othersBefore(metas: readonly Meta[], { stage, tool, attempt }: Pick<Meta, 'stage' | 'tool' | 'attempt'>): string[] {
	const earlier = metas.filter((meta) => meta.stage === stage && meta.attempt < attempt);
	const passed = earlier.findLastIndex((meta) => meta.outcome === 'passed');
	const since = new Set([tool, ...earlier.slice(passed + 1).map((meta) => meta.tool)]);
	return [...new Set(earlier.slice(0, passed + 1).map((meta) => meta.tool))].filter((other) => !since.has(other));
}

/** Known cost of all attempts; null while nothing is known. */
export const costOf = (metas: readonly Meta[]): number | null => total(metas, (meta) => meta.cost_usd);

function usageOf(metas: readonly Meta[]): Usage {
	return {
		input_tokens: total(metas, (meta) => meta.usage.input_tokens),
		cached_input_tokens: total(metas, (meta) => meta.usage.cached_input_tokens),
		output_tokens: total(metas, (meta) => meta.usage.output_tokens),
	};
}

function total(metas: readonly Meta[], value: (meta: Meta) => number | null): number | null {
	const known = metas.map(value).filter((n) => n !== null);
	return known.length === 0 ? null : known.reduce((sum, n) => sum + n, 0);
}
