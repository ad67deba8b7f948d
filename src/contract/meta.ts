import { z } from 'zod';
import { NamePart } from './words.ts';

export const Usage = z.object({
	input_tokens: z.number().nullable(),
	cached_input_tokens: z.number().nullable(),
	output_tokens: z.number().nullable(),
});
export type Usage = z.infer<typeof Usage>;

/** `<stage>.<tool>.meta.json`: what happened in one attempt. What is not known is null. */
export const Meta = z.object({
	schema: z.literal(1),
	stage: NamePart,
	tool: NamePart,
	exit_code: z.number().nullable(),
	start: z.string().nullable(),
	end: z.string().nullable(),
	duration_sec: z.number().nullable(),
	prompt_sha256: z.string().nullable(),
	attempt: z.number(),
	role: z.string(),
	model: z.string().nullable(),
	effort: z.string().nullable(),
	signal: z.string().nullable(),
	/** `passed` or the failure class. */
	outcome: z.string(),
	signature: z.string().nullable(),
	reason: z.string().nullable(),
	num_steps_reported: z.number().nullable(),
	num_steps_computed: z.number().nullable(),
	num_turns_reported: z.number().nullable(),
	usage: Usage,
	cost_usd: z.number().nullable(),
	cost_source: z.enum(['reported', 'computed']).nullable(),
	session_id: z.string().nullable(),
	out_sha256: z.string().nullable(),
	out_bytes: z.number().nullable(),
	prompt_bytes: z.number().nullable(),
	adopted: z.boolean(),
	verdict: z.string().nullable(),
	/** The tool the plan named, where a fallback ran instead. */
	fallback_from: z.string().nullable(),
});
export type Meta = z.infer<typeof Meta>;
