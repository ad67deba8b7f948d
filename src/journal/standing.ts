import { exitCodeOf, gravest } from '../contract/exit-code.ts';
import type { LastFailure } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState, StageFailureRecord, StageState } from './packet-state.ts';

/** The packet's status. A run whose owner is gone was interrupted, whatever its last words. */
export function statusOf(state: PacketState, ownerAlive: boolean): PacketStatus {
	if (state.running) return ownerAlive ? 'in_progress' : 'interrupted';
	return state.finished?.status ?? 'pending';
}

/** The stages that failed for good, in the plan's order. */
export const failedStages = (state: PacketState, order: readonly string[]): Failed[] =>
	order.map((name) => state.stages.get(name)).filter((stage): stage is Failed => stage?.status === 'failed' && stage.failure !== null);

type Failed = StageState & { readonly failure: StageFailureRecord };

/** Of several the one that set the exit code speaks for the packet: mending another would not bring it further. Of equals the first. */
export function gravestFailed(state: PacketState, order: readonly string[]): Failed | null {
	const failed = failedStages(state, order);
	const gravity = gravest(failed.map((stage) => exitCodeOf(stage.failure.class)));
	return failed.find((stage) => exitCodeOf(stage.failure.class) === gravity) ?? null;
}

/** `state/last_failure.json`, derived: of several the first in the plan's order; null when no stage stands failed. */
export function lastFailureOf(state: PacketState, order: readonly string[]): LastFailure | null {
	const [stage] = failedStages(state, order);
	if (stage === undefined) return null;
	const { class: failureClass, signature, reason, next_action, time } = stage.failure;
	return {
		schema: 1,
		class: failureClass,
		signature,
		stage: stage.stage,
		tool: stage.tool ?? '',
		attempt: stage.attempt,
		exit_code: stage.meta?.exit_code ?? null,
		reason,
		next_action: next_action ?? '',
		time,
	};
}

/**
 * The verdict of the last stage, in the plan's order, that gave one. Where a run ended before its last stages ran, what an earlier one
 * thought is not the packet's verdict.
 */
export function verdictOf(state: PacketState, order: readonly string[]): string | null {
	const endedEarly = state.finished !== null && state.finished.status !== 'completed';
	for (const name of [...order].reverse()) {
		const stage = state.stages.get(name);
		if (stage?.verdict) return stage.verdict;
		if (endedEarly && ['pending', 'running', 'waiting'].includes(stage?.status ?? 'pending')) return null;
	}
	return null;
}
