import { z } from 'zod';

export const FailureClass = z.enum([
	'rate_limit',
	'provider_unavailable',
	'network',
	'quota',
	'auth',
	'tool_missing',
	'config_error',
	'prompt_too_large',
	'contract_violation',
	'empty_output',
	'no_change',
	'timeout',
	'max_steps',
	'output_limit',
	'acceptance_failed',
	'scope_violation',
	'review_failed',
	'killed',
	'unknown',
	'forbidden_input',
	'budget_exhausted',
	'interrupted',
	'internal',
]);
export type FailureClass = z.infer<typeof FailureClass>;

/** What went wrong with a stage, as evidence and not yet as a decision. */
export type StageFailure =
	| { readonly class: 'rate_limit' | 'quota'; readonly reason: string; readonly resetAt: string | null }
	| {
			readonly class: 'provider_unavailable' | 'network' | 'auth' | 'config_error' | 'killed' | 'unknown' | 'internal' | 'interrupted';
			readonly reason: string;
			/** When the server said to come back. */
			readonly resetAt?: string | null;
	  }
	| {
			readonly class: 'tool_missing';
			readonly command: string;
			/** The file that is there and may not be executed. */
			readonly blocked?: string;
			/** What other stages of the plan miss; all were looked for. */
			readonly also?: readonly { readonly command: string; readonly install: string }[];
	  }
	| { readonly class: 'prompt_too_large'; readonly reason: string }
	| { readonly class: 'contract_violation'; readonly reasons: readonly string[] }
	| { readonly class: 'empty_output'; readonly reason: string }
	| { readonly class: 'no_change'; readonly reason?: string }
	| { readonly class: 'timeout'; readonly limitSec: number }
	| { readonly class: 'max_steps'; readonly limit: number; readonly steps: number }
	| { readonly class: 'output_limit'; readonly limitMb: number }
	| { readonly class: 'acceptance_failed'; readonly reasons: readonly string[] }
	| { readonly class: 'scope_violation'; readonly paths: readonly string[]; readonly access: 'read' | 'write' }
	| { readonly class: 'review_failed'; readonly high: number }
	| { readonly class: 'forbidden_input'; readonly reasons: readonly string[] }
	| { readonly class: 'budget_exhausted'; readonly reason: string; readonly budget?: 'paid_calls' | 'cost'; readonly spentUsd?: number };

/** What is done about it. */
export type Decision =
	| { readonly kind: 'retry'; readonly waitSec: number; readonly addReasons: boolean; readonly digest: 'aggressive' | null }
	| { readonly kind: 'fallback'; readonly tool: string }
	| { readonly kind: 'fix' }
	| { readonly kind: 'stop' };
