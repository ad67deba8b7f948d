import type { PacketStatus } from '../contract/words.ts';
import { type PacketState, type StageState, stageOf } from '../journal/packet-state.ts';
import { outputFile } from './next-action.ts';
import type { StageRow } from './summary-shape.ts';

/** The stages as they stand. In a packet that nobody runs, a stage that was on its way was interrupted. */
export function stageRows(state: PacketState, order: readonly string[], status: PacketStatus): StageRow[] {
	return order.map((name) => rowOf(stageOf(state, name), status === 'in_progress'));
}

function rowOf(stage: StageState, alive: boolean): StageRow {
	const onItsWay = stage.status === 'running' || stage.status === 'waiting';
	// A stage that is run again on purpose still holds its old attempt; what that one did is no result any more.
	const meta = stage.status === 'pending' || stage.status === 'running' ? null : stage.meta;
	return {
		name: stage.stage,
		status: onItsWay && !alive ? 'interrupted' : stage.status,
		tool: stage.tool,
		attempt: stage.attempt,
		durationSec: meta?.duration_sec ?? null,
		exitCode: meta?.exit_code ?? null,
		steps: stage.status === 'running' ? stage.steps : (meta?.num_steps_computed ?? meta?.num_steps_reported ?? null),
		costUsd: stage.status === 'running' ? stage.costUsd : (meta?.cost_usd ?? null),
		waitingUntil: stage.status === 'waiting' ? stage.waitingUntil : null,
		gate: stage.status === 'passed' ? 'passed' : meta !== null && stage.failure !== null ? stage.failure.class : '-',
		output: meta !== null && meta.out_bytes !== null ? outputFile(stage.stage, stage.tool ?? meta.tool) : null,
	};
}
