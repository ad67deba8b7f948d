import { never } from './outcome.ts';
import type { FailureClass } from './stage-failure.ts';

/** What a script can rely on. */
export const ExitCode = {
	completed: 0,
	failed: 1,
	usage: 2,
	invalid: 3,
	budget: 4,
	locked: 5,
	needsHuman: 6,
	blocked: 7,
	bug: 70,
	interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const gravity: readonly number[] = [130, 70, 6, 4, 3, 1];

/** Of several outcomes the gravest decides. */
export function gravest(codes: readonly number[]): number {
	return gravity.find((code) => codes.includes(code)) ?? codes.find((code) => code !== 0) ?? 0;
}

/** The exit code of a run that stops at a failure of this class. */
export function exitCodeOf(kind: FailureClass): ExitCode {
	switch (kind) {
		case 'quota':
		case 'auth':
		case 'tool_missing':
		case 'config_error':
			return ExitCode.needsHuman;
		case 'forbidden_input':
			return ExitCode.invalid;
		case 'budget_exhausted':
			return ExitCode.budget;
		case 'interrupted':
			return ExitCode.interrupted;
		case 'internal':
			return ExitCode.bug;
		case 'rate_limit':
		case 'provider_unavailable':
		case 'network':
		case 'prompt_too_large':
		case 'contract_violation':
		case 'empty_output':
		case 'no_change':
		case 'timeout':
		case 'max_steps':
		case 'output_limit':
		case 'acceptance_failed':
		case 'scope_violation':
		case 'review_failed':
		case 'killed':
		case 'unknown':
			return ExitCode.failed;
		default:
			return never(kind);
	}
}
