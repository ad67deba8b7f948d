import type { Meta } from '../contract/meta.ts';

/** What is known of an attempt before anything else is. */
export type AboutAttempt = Pick<Meta, 'stage' | 'tool' | 'attempt' | 'role' | 'outcome'>;

/** A meta in which all the rest is not known. */
export const emptyMeta = (about: AboutAttempt): Meta => ({
	schema: 1,
	...about,
	exit_code: null,
	start: null,
	end: null,
	duration_sec: null,
	prompt_sha256: null,
	model: null,
	effort: null,
	signal: null,
	signature: null,
	reason: null,
	num_steps_reported: null,
	num_steps_computed: null,
	num_turns_reported: null,
	usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null },
	cost_usd: null,
	cost_source: null,
	session_id: null,
	out_sha256: null,
	out_bytes: null,
	prompt_bytes: null,
	adopted: false,
	verdict: null,
	fallback_from: null,
});
