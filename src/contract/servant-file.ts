import { z } from 'zod';
import { Purpose, TaskType, TimeoutMode } from './words.ts';

export const WrapperDefaults = z.strictObject({
	timeout_ms: z.int().min(0).optional().describe('wall-clock limit of an attempt; 0 = none of its own'),
	timeout_mode: TimeoutMode.optional().describe('enforce: ended at the limit; wait_done: may finish, ended at four times the limit'),
	effort: z.string().optional().describe('reasoning effort where no purpose or stage says otherwise'),
	approval_mode: z.enum(['default', 'auto_edit', 'yolo']).optional().describe('gemini: approval mode of writing roles'),
	sandbox: z.boolean().optional().describe("gemini: run in the CLI's own sandbox"),
	max_output_mb: z.number().positive().optional().describe('output of one attempt; default 2048'),
});

const Price = z.strictObject({
	input: z.number().min(0).describe('USD per million input tokens'),
	cached_input: z.number().min(0).optional().describe('USD per million cached input tokens; default: as input'),
	output: z.number().min(0).describe('USD per million output tokens'),
});

const TypeSettings = z.strictObject({
	model: z.string().optional().describe('model for packets of this task type'),
	max_steps: z.int().min(1).optional().describe('steps per attempt for packets of this task type'),
	max_turns: z.int().min(1).optional().describe('deprecated; use max_steps'),
});

/** Where in a JSON event a value of a described servant is found: a dotted path, optionally only in events of `when`. */
const EventPath = z.strictObject({
	path: z.string().describe('dotted path into the event, e.g. part.tokens.input'),
	when: z
		.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
		.optional()
		.describe('only in events whose paths have these values'),
});

export const StreamDescription = z.strictObject({
	text: EventPath.extend({
		mode: z.enum(['append', 'last']).optional().describe('all texts together (default), or the last one alone'),
	})
		.optional()
		.describe('the answer'),
	step: EventPath.partial({ path: true }).optional().describe('each matching event is one step; with path, each distinct value is'),
	input_tokens: EventPath.optional().describe('a + b in the path adds two places'),
	cached_input_tokens: EventPath.optional().describe('part of the input tokens'),
	output_tokens: EventPath.optional().describe('with what was thought, where that is billed'),
	usage_mode: z.enum(['sum', 'last']).optional().describe('sum of all events (default) or the last one'),
	cost_usd: EventPath.optional().describe('what the program itself says it cost'),
	session_id: EventPath.optional().describe('needed for resume'),
	error: EventPath.optional().describe('message of an error event'),
	error_status: EventPath.optional().describe('HTTP status of an error event'),
	success: EventPath.partial({ path: true }).optional().describe('event that says the run succeeded; without it exit 0 decides'),
});

export const ServantFile = z.strictObject({
	version: z
		.union([z.literal(1), z.literal(2)])
		.optional()
		.describe('of the file format; may be left out'),
	tool: z.string().optional().describe("must equal the file's name"),
	default_model: z.string().optional().describe('model where nothing nearer names one'),
	allowed_models: z.array(z.string()).optional().describe('models that manifests and --model may ask for; without it any'),
	purpose_models: z.partialRecord(Purpose, z.string()).optional().describe("model per purpose of the stage's role"),
	purpose_efforts: z.partialRecord(Purpose, z.string()).optional().describe("reasoning effort per purpose of the stage's role"),
	wrapper_defaults: WrapperDefaults.optional(),
	max_steps: z.int().min(1).optional().describe('steps per attempt'),
	max_turns: z.int().min(1).optional().describe('deprecated; use max_steps'),
	task_types: z.partialRecord(TaskType, TypeSettings).optional(),
	fallback: z.array(z.string()).optional().describe('servants to try when this one is unusable'),
	max_concurrent: z.int().min(1).optional().describe('calls at once over all packets of the project'),
	command: z.string().optional().describe("program to call: its name on PATH, or its path from the project's root"),
	env: z.array(z.string()).optional().describe('names of variables the servant may see'),
	prices: z.record(z.string(), Price).optional().describe('USD per million tokens, by model'),
	step_unit: z
		.enum(['item.completed', 'item', 'agent_message'])
		.optional()
		.describe('codex: what counts as a step; item is short for item.completed, the default'),
	args: z.array(z.string()).optional().describe('described servant: arguments with {model} {effort} {max_steps} {prompt_file} {workdir}'),
	read_only_args: z.array(z.string()).optional().describe('described servant: added for roles that read'),
	write_args: z.array(z.string()).optional().describe('described servant: added for roles that write'),
	resume_args: z.array(z.string()).optional().describe('described servant: added on resume, with {session_id}'),
	prompt: z.enum(['stdin', 'file']).optional().describe('described servant: how it gets its prompt; default stdin'),
	output: z
		.enum(['text', 'jsonl'])
		.optional()
		.describe('described servant: stdout is the answer, or JSON lines; default jsonl with stream, else text'),
	stream: StreamDescription.optional(),
	paid: z.boolean().optional().describe('whether a call counts against paid_call_budget; default true'),
	web_capabilities: z.unknown().optional().describe('ignored'),
	effort_level_descriptions: z.unknown().optional().describe('ignored'),
});
export type ServantFile = z.infer<typeof ServantFile>;
