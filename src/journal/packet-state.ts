import type { EventOf } from '../contract/event.ts';
import type { Findings } from '../contract/evidence.ts';
import type { Meta } from '../contract/meta.ts';
import type { PlanFlags } from '../contract/plan.ts';
import type { FailureClass } from '../contract/stage-failure.ts';
import type { PacketStatus, Verdict } from '../contract/words.ts';

export interface StageFailureRecord {
	readonly class: FailureClass;
	readonly signature: string;
	readonly reason: string;
	readonly decision: 'retry' | 'fallback' | 'fix' | 'stop';
	readonly next_action: string | null;
	readonly time: string;
}

/**
 *   pending ─▶ running ─▶ passed
 *      ▲          │  └──▶ failed (for good)
 *      └─ waiting ◀┘ (retry, fallback, fix, stale: another attempt is due)
 */
export interface StageState {
	readonly stage: string;
	readonly status: 'pending' | 'running' | 'waiting' | 'passed' | 'failed';
	/** The servant of the last attempt. */
	readonly tool: string | null;
	/** Number of the last attempt, 0 before the first. */
	readonly attempt: number;
	/** The last reservation, as long as its attempt is not finished. */
	readonly open: EventOf<'stage_reserved'> | null;
	/** Whether the open reservation is settled already (its gate is still due). */
	readonly settled: boolean;
	/** A fix round began while the open attempt ran: it is about work that is done again, and does not count. */
	readonly stale: boolean;
	readonly startedAt: string | null;
	readonly steps: number | null;
	readonly costUsd: number | null;
	readonly overtime: boolean;
	readonly activity: string | null;
	readonly waitingUntil: string | null;
	/** Of the last finished attempt. */
	readonly meta: Meta | null;
	readonly failure: StageFailureRecord | null;
	readonly verdict: Verdict | null;
	readonly findings: Findings | null;
	readonly inputs_sha256: string | null;
	readonly handoff: EventOf<'stage_finished'>['handoff'];
	/** Tools that were fallen back to in this run, the newest last. */
	readonly fellBackTo: readonly string[];
}

/** Where a packet stands: the fold of its journal. */
export interface PacketState {
	readonly runs: number;
	/** A run began and has not said that it ended: alive, or its owner died. */
	readonly running: boolean;
	readonly flags: PlanFlags;
	readonly stages: ReadonlyMap<string, StageState>;
	readonly calls: { readonly used: number; readonly inDoubt: number };
	/** How often each signature failed: in this run (retry budget) and ever (stats). */
	readonly failuresThisRun: Readonly<Record<string, number>>;
	readonly signatures: Readonly<Record<string, number>>;
	readonly fixRoundsThisRun: number;
	/** Every finished attempt, in order. */
	readonly metas: readonly Meta[];
	readonly finished: { readonly status: PacketStatus; readonly exit_code: number; readonly next_action: string } | null;
	readonly updated: string | null;
}

export const untouched: PacketState = {
	runs: 0,
	running: false,
	flags: {},
	stages: new Map(),
	calls: { used: 0, inDoubt: 0 },
	failuresThisRun: {},
	signatures: {},
	fixRoundsThisRun: 0,
	metas: [],
	finished: null,
	updated: null,
};

export function untouchedStage(stage: string): StageState {
	return {
		stage,
		status: 'pending',
		tool: null,
		attempt: 0,
		open: null,
		settled: false,
		stale: false,
		startedAt: null,
		steps: null,
		costUsd: null,
		overtime: false,
		activity: null,
		waitingUntil: null,
		meta: null,
		failure: null,
		verdict: null,
		findings: null,
		inputs_sha256: null,
		handoff: null,
		fellBackTo: [],
	};
}

export const stageOf = (state: PacketState, stage: string): StageState => state.stages.get(stage) ?? untouchedStage(stage);
