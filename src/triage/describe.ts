import { never } from '../contract/outcome.ts';
import type { StageFailure } from '../contract/stage-failure.ts';

/** One line that says what went wrong. */
export function reasonOf(failure: StageFailure): string {
	return sentence(failure).replace(/\s+/g, ' ').trim();
}

function sentence(failure: StageFailure): string {
	switch (failure.class) {
		case 'rate_limit':
		case 'quota':
			return failure.resetAt === null ? failure.reason : `${failure.reason} (resets at ${failure.resetAt})`;
		case 'provider_unavailable':
		case 'network':
		case 'auth':
		case 'config_error':
		case 'killed':
		case 'unknown':
		case 'internal':
		case 'interrupted':
		case 'prompt_too_large':
		case 'empty_output':
		case 'budget_exhausted':
			return failure.reason;
		case 'tool_missing':
			return `${programWords(failure)}${(failure.also ?? []).map(({ command }) => `, nor "${command}"`).join('')}`;
		case 'contract_violation':
		case 'acceptance_failed':
		case 'forbidden_input':
			return failure.reasons.join('; ');
		case 'no_change':
			return failure.reason ?? 'the work tree is unchanged and the answer holds no diff';
		case 'timeout':
			return `ended after ${failure.limitSec} s, the wall-clock limit`;
		case 'max_steps':
			return `MAX_STEPS: ${failure.steps} steps, budget ${failure.limit}`;
		case 'output_limit':
			return `more than ${failure.limitMb} MB of output`;
		case 'scope_violation':
			return `${failure.access === 'read' ? 'a reading stage changed' : 'changed outside the scope:'} ${listed(failure.paths)}`;
		case 'review_failed':
			return `${failure.high} HIGH finding${failure.high === 1 ? '' : 's'} in the review`;
		default:
			return never(failure);
	}
}

const mostNamed = 10;

function listed(paths: readonly string[]): string {
	const named = paths.slice(0, mostNamed).join(', ');
	return paths.length > mostNamed ? `${named} and ${paths.length - mostNamed} more` : named;
}

const programWords = ({ command, blocked }: Extract<StageFailure, { class: 'tool_missing' }>): string =>
	blocked === undefined ? `the program "${command}" was not found` : `the program "${blocked}" may not be executed`;
