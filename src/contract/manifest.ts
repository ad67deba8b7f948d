import { z } from 'zod';
import { DigestPolicy, TaskId, TaskType, WorkspaceMode } from './words.ts';

const OneOrMany = z.union([TaskId, z.array(TaskId)]);

const StageOverride = z.strictObject({
	provider: z.string().optional().describe('servant that runs this stage'),
	model: z.string().optional().describe('model for this stage'),
	effort: z.string().optional().describe('reasoning effort for this stage'),
	max_steps: z.int().min(1).optional().describe('step budget for this stage'),
	timeout_sec: z.number().min(0).optional().describe('wall-clock limit for this stage in seconds; 0 = none of its own'),
});

/** Values are checked per group against the pipeline's allowed flags and options, not here. */
const PipelineChoice = z.strictObject({
	profile: z.string().optional().describe("profile within the intent's group"),
	flags: z.record(z.string(), z.boolean()).optional().describe('stage toggles of the group'),
	options: z
		.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
		.optional()
		.describe('options of the group'),
});

const Routing = z.strictObject({
	intent: z.string().optional().describe('profile to run, e.g. review_cross'),
	model: z.record(z.string(), z.string()).optional().describe('model per tool'),
	pipeline: PipelineChoice.optional(),
	stages: z.record(z.string(), StageOverride).optional().describe('overrides per stage, named as written in the profile'),
});

export const Manifest = z.strictObject({
	task_id: TaskId.describe("the packet's id; equals its directory's name"),
	goal: z.string().min(1).describe('one sentence: what is to be achieved'),
	task_type: TaskType.optional().describe(
		'may stand in place of routing.intent; with both, the type routes and the intent picks the profile',
	),
	routing: Routing.optional(),
	provider: z.string().optional().describe('servant for stages whose tool is not fixed by name'),
	model: z.string().optional().describe('model for stages whose tool is not fixed by name'),
	scope: z
		.strictObject({
			allow: z.array(z.string()).optional().describe('globs or path prefixes that may be written; empty = nothing'),
			deny: z.array(z.string()).optional().describe('globs or path prefixes that must not be written; wins over allow'),
		})
		.optional(),
	acceptance: z
		.strictObject({
			commands: z.array(z.string()).optional().describe('shell commands that must exit 0'),
			criteria: z.array(z.string()).optional().describe('criteria for a human or agent reader'),
		})
		.optional(),
	budgets: z
		.strictObject({
			retry_budget: z.int().min(0).optional().describe('retries per failure signature and run'),
			paid_call_budget: z.int().min(0).optional().describe("calls in the packet's lifetime"),
			max_wallclock_sec: z.int().min(0).optional().describe('seconds per attempt; 0 = none of its own'),
			max_steps: z.int().min(1).optional().describe('steps per attempt'),
			max_cost_usd: z.number().min(0).optional().describe("cost in the packet's lifetime"),
		})
		.optional(),
	context: z
		.strictObject({
			digest_policy: DigestPolicy.optional().describe(
				'off; auto: a context pack over 8,000 bytes is digested; aggressive: always, attachments too',
			),
		})
		.optional(),
	security: z
		.strictObject({
			redaction_patterns: z
				.array(z.string())
				.optional()
				.describe('regular expressions (RE2 syntax) removed from all that is sent or shown'),
			forbidden_paths: z.array(z.string()).optional().describe('an input that is, links to or touches one stops the run'),
		})
		.optional(),
	group: z.string().optional().describe('label for related packets'),
	depends_on: OneOrMany.optional().describe('packets that must be completed first'),
	based_on: TaskId.optional().describe('packet whose work this one continues; counts as a dependency'),
	create_review: z.boolean().optional().describe('run a review packet when this one is completed'),
	same_branch: z.boolean().optional().describe("continue on the dependency's branch"),
	created_at: z.string().optional().describe('ISO time; orders the queue'),
	workspace: WorkspaceMode.optional().describe('where the servants work'),
});
export type Manifest = z.infer<typeof Manifest>;

export const manifestDefaults = {
	retry_budget: 2,
	paid_call_budget: 10,
	max_wallclock_sec: 900,
	digest_policy: 'auto',
} as const;
