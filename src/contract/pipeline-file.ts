import { z } from 'zod';
import { TimeoutMode } from './words.ts';

export const Profile = z.strictObject({
	stages: z.array(z.string()).min(1).optional().describe('ordered stages: <tool>_<role>, or a role to be routed'),
	needs: z.record(z.string(), z.array(z.string())).optional().describe('what each stage waits for; without it the stages are a chain'),
	flags: z.record(z.string(), z.boolean()).optional().describe('a false flag takes the stages of its role family out'),
	options: z
		.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
		.optional()
		.describe('options of the group'),
	stage_models: z.record(z.string(), z.string()).optional().describe('model per stage, named as in stages'),
	stage_efforts: z.record(z.string(), z.string()).optional().describe('reasoning effort per stage'),
	stage_max_steps: z.record(z.string(), z.int().min(1)).optional().describe('steps per attempt and stage'),
});
export type Profile = z.infer<typeof Profile>;

export const PipelineFile = z.strictObject({
	version: z.literal(1).optional().describe('of the file format; may be left out'),
	pipeline: z.string().optional().describe("the group's name; default: the file's name without -pipeline"),
	default_profile: z.string().optional().describe("the group's usual profile: named in hints, and what doctor checks for"),
	profiles: z.record(z.string(), Profile).optional(),
});
export type PipelineFile = z.infer<typeof PipelineFile>;

/** Flags a group knows; a false one removes the stages of the role families it names. */
export const groupFlags: Readonly<Record<string, readonly string[]>> = {
	impl: ['enable_brief', 'enable_verify', 'enable_review'],
	review: ['enable_verify', 'enable_review'],
	plan: ['enable_codex_enrich', 'enable_gemini_enrich', 'enable_cross_review'],
	task: [],
};

const timeout_mode = TimeoutMode.options;
const fix_rounds = [0, 1, 2, 3, 4, 5];

/** Options a group knows, with the values each may have. A group that a project adds knows them all. */
export const groupOptions: Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>> = {
	impl: { impl_mode: ['safe', 'one_shot'], timeout_mode, fix_rounds },
	review: { review_mode: ['cross', 'codex_only'], timeout_mode, fail_on: ['none', 'high'] },
	plan: { consolidate_mode: ['standard'], timeout_mode },
	task: { timeout_mode, fix_rounds, fail_on: ['none', 'high'] },
};
