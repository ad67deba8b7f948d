import { resetTime } from '../contract/complaint-text.ts';
import type { Evidence } from '../contract/evidence.ts';
import { never } from '../contract/outcome.ts';
import type { ServantComplaint } from '../contract/servant.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { oneLine } from './one-line.ts';

/** What a servant's complaint amounts to; null where it says nothing about the class. */
export function failureFromComplaint(complaint: ServantComplaint, evidence: Evidence): StageFailure | null {
	const reason = oneLine(complaint.message) || `the servant reported ${complaint.class ?? 'an error'}`;
	switch (complaint.class) {
		case null:
			return null;
		case 'rate_limit':
		case 'quota':
			return { class: complaint.class, reason, resetAt: resetOf(complaint, evidence.now) };
		case 'provider_unavailable':
		case 'network':
			return { class: complaint.class, reason, resetAt: resetOf(complaint, evidence.now) };
		case 'auth':
		case 'config_error':
		case 'prompt_too_large':
			return { class: complaint.class, reason };
		case 'refusal':
			return { class: 'contract_violation', reasons: [`the servant refused: ${reason}`] };
		case 'truncated':
			return { class: 'contract_violation', reasons: ['the answer was cut off'] };
		case 'empty':
			return { class: 'empty_output', reason };
		case 'max_steps':
			return { class: 'max_steps', ...stepsOf(evidence) };
		case 'budget':
			return { class: 'budget_exhausted', reason, budget: 'cost' };
		case 'interrupted':
			return { class: 'killed', reason };
		default:
			return never(complaint.class);
	}
}

function resetOf({ resetAt, retryAfterSec, message }: ServantComplaint, now: string): string | null {
	if (resetAt !== null && Number.isFinite(Date.parse(resetAt))) return resetAt;
	if (retryAfterSec !== null && retryAfterSec >= 0 && retryAfterSec < 1e9) {
		return new Date(Date.parse(now) + retryAfterSec * 1000).toISOString();
	}
	return resetTime(message, now);
}

function stepsOf({ progress, maxSteps }: Evidence): { limit: number; steps: number } {
	const steps = progress.stepsComputed ?? progress.stepsReported ?? progress.turnsReported ?? maxSteps ?? 0;
	return { limit: maxSteps ?? steps, steps };
}
