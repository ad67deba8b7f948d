import { z } from 'zod';
import { ServantFile } from './servant-file.ts';
import { TaskType } from './words.ts';

const TypeSettings = z.strictObject({
	model: z.string().optional().describe('legacy'),
	max_steps: z.int().min(1).optional().describe('steps per attempt for packets of this task type'),
	max_turns: z.int().min(1).optional().describe('deprecated; use max_steps'),
});

export const DispatchFile = z.strictObject({
	provider: z.string().optional().describe('servant of stages that nothing else routes'),
	task_providers: z.partialRecord(TaskType, z.string()).optional().describe('servant per task type'),
	providers: z
		.record(z.string(), ServantFile.extend({ model: z.string().optional().describe('read as default_model') }))
		.optional()
		.describe("per tool, merged over that tool's servant file"),
	max_steps: z.int().min(1).optional().describe('steps per attempt, where nothing nearer says so'),
	concurrency: z.int().min(1).optional().describe('packets at a time for work and watch: default of --jobs'),
	progress_interval_sec: z.number().positive().optional().describe('seconds between two progress lines of a stage'),
	max_wait_sec: z.number().min(0).optional().describe('longest wait for a rate limit to reset'),
	verify: z
		.strictObject({
			allow_commands: z
				.array(z.string())
				.optional()
				.describe('regular expressions (whole command) or exact commands that a model may propose'),
			timeout_sec: z.number().positive().optional().describe('limit of one acceptance command'),
			max_output_kb: z.number().positive().optional().describe('output kept of one acceptance command'),
		})
		.optional(),
	worktree_setup: z.array(z.string()).optional().describe('commands run in a new worktree'),
	model: z.string().optional().describe('legacy'),
	defaults: z
		.strictObject({
			model: z.string().optional().describe('legacy'),
			max_steps: z.int().min(1).optional().describe('legacy'),
			max_turns: z.int().min(1).optional().describe('deprecated; use max_steps'),
		})
		.optional()
		.describe('legacy'),
	task_types: z.partialRecord(TaskType, TypeSettings).optional().describe('legacy'),
	max_turns: z.int().min(1).optional().describe('deprecated; use max_steps'),
});
export type DispatchFile = z.infer<typeof DispatchFile>;
