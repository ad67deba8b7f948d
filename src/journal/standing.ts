import type { LastFailure } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState, StageState } from './packet-state.ts';

/** The packet's status. A run whose owner is gone was interrupted, whatever its last words. */
export function statusOf(state: PacketState, ownerAlive: boolean): PacketStatus {
	if (state.running) return ownerAlive ? 'in_progress' : 'interrupted';
	return state.finished?.status ?? 'pending';
}

/** Of several failed stages the first in the plan's order speaks for the packet. */
export function firstFailed(state: PacketState, order: readonly string[]): StageState | null {
	for (const name of order) {
		const stage = state.stages.get(name);
		if (stage?.status === 'failed' && stage.failure !== null) return stage;
	}
	return null;
}

/** `state/last_failure.json`, derived; null when no stage stands failed. */
export function lastFailureOf(state: PacketState, order: readonly string[]): LastFailure | null {
	const stage = firstFailed(state, order);
	if (stage === null || stage.failure === null) return null;
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
		if (endedEarly && ['pending', 'waiting'].includes(stage?.status ?? 'pending')) return null;
	}
	return null;
}
