import { z } from 'zod';
import { Meta, Usage } from './meta.ts';
import { PlanFlags } from './plan.ts';
import { FailureClass } from './stage-failure.ts';
import { NamePart, PacketStatus, Verdict } from './words.ts';

/**
 * The journal's lines. The fold of them (`journal/`) is where a packet stands; every renderer reads these and nothing else.
 *
 *   run_started ─▶ per stage: stage_reserved ─▶ stage_started ─▶ stage_progress* ─▶ stage_collected ─▶ stage_finished ─▶ … ─▶ run_finished
 *                                                       failed, not for good: stage_waiting / stage_fallback, then stage_reserved again
 */

const base = () => ({ time: z.string(), task_id: z.string() });
const ofStage = () => ({ ...base(), stage: NamePart, attempt: z.number(), provider: NamePart });

export const RunStarted = z.object({
	...base(),
	type: z.literal('run_started'),
	version: z.string(),
	pid: z.number(),
	flags: PlanFlags,
	/** Stages that are run again on purpose: their earlier results no longer count. */
	rerun: z.array(z.string()),
	/** The plan's stages in order. */
	plan_stages: z.array(z.string()),
});

/** On disk before the wrapper starts: from here on the call counts until `stage_collected` says otherwise. */
export const StageReserved = z.object({
	...ofStage(),
	type: z.literal('stage_reserved'),
	/** `first`, or why it is called again. */
	kind: z.enum(['first', 'retry', 'resume', 'fallback', 'fix']),
	token: NamePart,
	paid: z.boolean(),
	role: z.string(),
	model: z.string().nullable(),
	effort: z.string().nullable(),
	timeout_sec: z.number(),
	timeout_mode: z.string(),
	max_steps: z.number(),
	prompt_sha256: z.string(),
	prompt_bytes: z.number(),
	inputs_sha256: z.string(),
	/** The servant's own session that is continued, and what it had used before (cumulative counters are reduced by it). */
	session: z.object({ id: z.string(), usage: Usage, cost_usd: z.number().nullable() }).nullable(),
	boot_id: z.string(),
	pid_namespace: z.string(),
	host: z.string(),
});

export const StageStarted = z.object({
	...ofStage(),
	type: z.literal('stage_started'),
	pid: z.number(),
	start_time: z.string(),
	adopted: z.boolean(),
});

export const StageProgress = z.object({
	...ofStage(),
	type: z.literal('stage_progress'),
	elapsed_sec: z.number(),
	steps: z.number().nullable(),
	cost_usd: z.number().nullable(),
	/** Past its limit in wait_done mode. */
	overtime: z.boolean(),
	/** What is going on where it is not the servant: `acceptance: npm test`, `waiting for the work tree`. */
	activity: z.string().nullable(),
});

export const StageWaiting = z.object({
	...ofStage(),
	type: z.literal('stage_waiting'),
	class: FailureClass,
	until: z.string(),
});

export const StageFallback = z.object({
	...ofStage(),
	type: z.literal('stage_fallback'),
	/** `provider` is the new servant. */
	from: z.string(),
	class: FailureClass,
});

/** The settlement of a reservation. */
export const StageCollected = z.object({
	...ofStage(),
	type: z.literal('stage_collected'),
	/** `used`: it counts; `returned`: provably never reached the servant, given back; `in_doubt`: unknown, counts. */
	call: z.enum(['used', 'returned', 'in_doubt']),
	adopted: z.boolean(),
});

export const StageFinished = z.object({
	...ofStage(),
	type: z.literal('stage_finished'),
	status: z.enum(['passed', 'failed']),
	/** What happens next: `null` when passed. */
	decision: z.enum(['retry', 'fallback', 'fix', 'stop']).nullable(),
	class: FailureClass.nullable(),
	signature: z.string().nullable(),
	reason: z.string().nullable(),
	/** Everything meta.json holds, so that all that is derived can be rebuilt. */
	meta: Meta,
	verdict: Verdict.nullable(),
	findings: z.object({ high: z.number(), medium: z.number(), low: z.number() }).nullable(),
	inputs_sha256: z.string().nullable(),
	/** Set by a passed brief: hash of the context pack it wrote, and commands it proposed that were not allowed. */
	handoff: z.object({ context_pack_sha256: z.string(), refused_commands: z.array(z.string()) }).nullable(),
	next_action: z.string().nullable(),
	/** With decision `fix`: the stages that run again, the writing one first. */
	run_again: z.array(z.string()),
});

export const RunFinished = z.object({
	...base(),
	type: z.literal('run_finished'),
	status: PacketStatus,
	exit_code: z.number(),
	/** `slug: sentence with the command to run`. */
	next_action: z.string(),
});

export const DispatchEvent = z.discriminatedUnion('type', [
	RunStarted,
	StageReserved,
	StageStarted,
	StageProgress,
	StageWaiting,
	StageFallback,
	StageCollected,
	StageFinished,
	RunFinished,
]);
export type DispatchEvent = z.infer<typeof DispatchEvent>;
export type EventOf<T extends DispatchEvent['type']> = Extract<DispatchEvent, { type: T }>;
