import { z } from 'zod';
import { Usage } from './meta.ts';
import { FailureClass } from './stage-failure.ts';
import { NamePart, WorkspaceMode } from './words.ts';

/** The small JSON files of `state/` and `done/`. All but the lock are derived from the journal. */

export const DoneMarker = z.object({
	schema: z.literal(1).optional(),
	stage: NamePart,
	tool: NamePart,
	attempt: z.number(),
	finished_at: z.string(),
	prompt_sha256: z.string().nullable(),
	inputs_sha256: z.string().nullable(),
	out_sha256: z.string().nullable(),
});
export type DoneMarker = z.infer<typeof DoneMarker>;

export const Stats = z.object({
	schema: z.literal(1),
	/** Every call that counts against the budget, those in doubt included. */
	paid_calls_used: z.number(),
	paid_calls_in_doubt: z.number(),
	stages_completed: z.array(z.string()),
	/** signature → how often it was seen in the packet's lifetime */
	signatures: z.record(z.string(), z.number()),
	/** Steps of all attempts: computed where known, else reported. */
	steps: z.number().nullable(),
	num_steps_reported: z.number().nullable(),
	num_steps_computed: z.number().nullable(),
	num_turns_reported: z.number().nullable(),
	usage: Usage,
	cost_usd: z.number().nullable(),
});
export type Stats = z.infer<typeof Stats>;

export const LastFailure = z.object({
	schema: z.literal(1),
	class: FailureClass,
	signature: z.string(),
	stage: z.string(),
	tool: z.string(),
	attempt: z.number(),
	exit_code: z.number().nullable(),
	reason: z.string(),
	next_action: z.string(),
	time: z.string(),
});
export type LastFailure = z.infer<typeof LastFailure>;

export const Workspace = z.object({
	schema: z.literal(1),
	mode: WorkspaceMode,
	branch: z.string().nullable(),
	/** Commit the branch started from. */
	base: z.string().nullable(),
	/** Relative to the project's root. */
	path: z.string(),
});
export type Workspace = z.infer<typeof Workspace>;

/** Who a process is, beyond its number. */
export const ProcessIdentity = z.object({
	pid: z.number(),
	start_time: z.string(),
	boot_id: z.string(),
	pid_namespace: z.string(),
	host: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export const LockFile = ProcessIdentity.extend({
	/** Locks of earlier versions have none. */
	schema: z.literal(1).optional(),
	token: z.string(),
	since: z.string(),
	command: z.string(),
});
export type LockFile = z.infer<typeof LockFile>;
