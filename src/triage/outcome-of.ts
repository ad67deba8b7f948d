import { ExitCode } from '../contract/exit-code.ts';
import { never } from '../contract/outcome.ts';
import type { FailureClass } from '../contract/stage-failure.ts';

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

export function statusOf(kind: FailureClass): 'failed' | 'needs_human' | 'interrupted' {
	const code = exitCodeOf(kind);
	if (code === ExitCode.interrupted) return 'interrupted';
	return code === ExitCode.needsHuman ? 'needs_human' : 'failed';
}
