import type { FailureClass, StageFailure } from '../../src/contract/stage-failure.ts';

/** One failure of each class. */
export const everyFailure: { readonly [Class in FailureClass]: StageFailure & { readonly class: Class } } = {
	rate_limit: { class: 'rate_limit', reason: 'slow down', resetAt: null },
	provider_unavailable: { class: 'provider_unavailable', reason: 'overloaded' },
	network: { class: 'network', reason: 'connection reset' },
	quota: { class: 'quota', reason: 'credit used up', resetAt: null },
	auth: { class: 'auth', reason: 'bad key' },
	tool_missing: { class: 'tool_missing', command: 'codex' },
	config_error: { class: 'config_error', reason: 'no such model' },
	prompt_too_large: { class: 'prompt_too_large', reason: 'prompt is too long' },
	contract_violation: { class: 'contract_violation', reasons: ['missing section "A"', 'missing section "B"'] },
	empty_output: { class: 'empty_output', reason: 'empty' },
	no_change: { class: 'no_change' },
	timeout: { class: 'timeout', limitSec: 900 },
	max_steps: { class: 'max_steps', limit: 50, steps: 51 },
	output_limit: { class: 'output_limit', limitMb: 2048 },
	acceptance_failed: { class: 'acceptance_failed', reasons: ['npm test: exit 1'] },
	scope_violation: { class: 'scope_violation', paths: ['a', 'b'], access: 'write' },
	review_failed: { class: 'review_failed', high: 2 },
	killed: { class: 'killed', reason: 'ended by SIGKILL' },
	unknown: { class: 'unknown', reason: 'exit 3' },
	forbidden_input: { class: 'forbidden_input', reasons: ['.env'] },
	budget_exhausted: { class: 'budget_exhausted', reason: '10 of 10 calls used', budget: 'paid_calls' },
	interrupted: { class: 'interrupted', reason: 'the run was interrupted' },
	internal: { class: 'internal', reason: 'TypeError' },
};
