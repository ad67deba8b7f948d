import { z } from 'zod';
import { Access, DigestPolicy, Purpose, TaskType, TimeoutMode, WorkspaceMode } from './words.ts';

export const PlannedStage = z.object({
	name: z.string(),
	/** As written in the profile; `routing.stages.<stage>` and `stage_models` use this name. */
	written: z.string(),
	tool: z.string(),
	role: z.string(),
	purpose: Purpose,
	access: Access,
	model: z.string().nullable(),
	effort: z.string().nullable(),
	timeout_sec: z.number(),
	timeout_mode: TimeoutMode,
	max_steps: z.number(),
	needs: z.array(z.string()),
	fallback: z.array(z.string()),
	/** Where each value came from, by field name. */
	sources: z.record(z.string(), z.string()),
});
export type PlannedStage = z.infer<typeof PlannedStage>;

export const Budgets = z.object({
	retry_budget: z.number(),
	paid_call_budget: z.number(),
	max_wallclock_sec: z.number(),
	max_steps: z.number().nullable(),
	max_cost_usd: z.number().nullable(),
});
export type Budgets = z.infer<typeof Budgets>;

export const Plan = z.object({
	schema: z.literal(1),
	task_id: z.string(),
	task_type: TaskType.nullable(),
	intent: z.string(),
	group: z.string(),
	profile: z.string(),
	workspace: WorkspaceMode,
	digest_policy: DigestPolicy,
	options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
	budgets: Budgets,
	warnings: z.array(z.string()),
	stages: z.array(PlannedStage),
});
export type Plan = z.infer<typeof Plan>;

/** One level of a precedence list that was tried for a value. */
export interface Level {
	readonly level: string;
	readonly value: string | number | null;
	readonly source: string | null;
	readonly won: boolean;
}

/** stage name → field → the whole chain that was tried, losers included. */
export type Explanation = Readonly<Record<string, Readonly<Record<string, readonly Level[]>>>>;

/** What the command line adds to a plan. Kept in the journal, so that a later run resolves alike. */
export const PlanFlags = z.object({
	provider: z.string().optional(),
	force_task_provider: z.string().optional(),
	model: z.string().optional(),
});
export type PlanFlags = z.infer<typeof PlanFlags>;
