import { never } from '../contract/outcome.ts';
import type { Decision, FailureClass, StageFailure } from '../contract/stage-failure.ts';

export interface Circumstances {
	readonly failure: StageFailure;
	/** Retries already made in this run for this failure's signature. */
	readonly retriesUsed: number;
	readonly retryBudget: number;
	/** Servants that may still be tried, in order. */
	readonly fallbackLeft: readonly string[];
	/** Failures of this class without another outcome in between, this one included. */
	readonly attemptsOfClassInARow: number;
	/** 0..1 */
	readonly jitter: number;
	readonly now: string;
	readonly maxWaitSec: number;
	/** `run --wait` */
	readonly waitForever: boolean;
	/** Whether the aggressive digest would make another prompt. */
	readonly canTighten: boolean;
	readonly fixRoundsLeft: number;
	/** Whether an earlier stage of the plan writes, so that results can be sent back to it. */
	readonly hasFixTarget: boolean;
}

export interface Triage {
	readonly decision: Decision;
	/** The failure as it is to be reported: a limit that resets too far away has become `quota`. */
	readonly failure: StageFailure;
	readonly class: FailureClass;
}

export function decide(at: Circumstances): Triage {
	const failure = quotaIfFar(at.failure, at);
	return { decision: decisionFor(failure, at), failure, class: failure.class };
}

/** A limit that resets further away than we may wait is a matter for a human, or for another servant. */
export function quotaIfFar(
	failure: StageFailure,
	{ now, maxWaitSec, waitForever }: Pick<Circumstances, 'now' | 'maxWaitSec' | 'waitForever'>,
): StageFailure {
	if (failure.class !== 'rate_limit' && failure.class !== 'provider_unavailable' && failure.class !== 'network') return failure;
	const left = secondsUntil(failure.resetAt, now);
	if (waitForever || left === null || left <= maxWaitSec) return failure;
	return { class: 'quota', reason: failure.reason, resetAt: failure.resetAt ?? null };
}

function decisionFor(failure: StageFailure, at: Circumstances): Decision {
	switch (failure.class) {
		case 'rate_limit':
		case 'provider_unavailable':
		case 'network':
			return mayRetry(at) ? retry({ waitSec: waitFor(failure.resetAt, at) }) : fallback(at);
		case 'quota':
			// Only who said `--wait` wants to sit out a quota, and only if its end is known.
			return at.waitForever && failure.resetAt !== null && mayRetry(at) ? retry({ waitSec: waitFor(failure.resetAt, at) }) : fallback(at);
		case 'auth':
		case 'tool_missing':
		case 'config_error':
			return fallback(at);
		case 'prompt_too_large':
			return at.canTighten && mayRetry(at) ? retry({ digest: 'aggressive' }) : stop;
		case 'contract_violation':
		case 'empty_output':
		case 'no_change':
			return mayRetry(at) ? retry({ addReasons: true }) : stop;
		case 'acceptance_failed':
			return at.fixRoundsLeft > 0 && at.hasFixTarget ? { kind: 'fix' } : stop;
		case 'timeout':
		case 'max_steps':
		case 'output_limit':
		case 'scope_violation':
		case 'review_failed':
		case 'killed':
		case 'unknown':
		case 'forbidden_input':
		case 'budget_exhausted':
		case 'interrupted':
		case 'internal':
			return stop;
		default:
			return never(failure);
	}
}

const stop: Decision = { kind: 'stop' };

const mayRetry = ({ retriesUsed, retryBudget }: Circumstances) => retriesUsed < retryBudget;

const retry = (how: Partial<Omit<Extract<Decision, { kind: 'retry' }>, 'kind'>>): Decision => ({
	kind: 'retry',
	waitSec: 0,
	addReasons: false,
	digest: null,
	...how,
});

function fallback({ fallbackLeft: [next] }: Circumstances): Decision {
	return next === undefined ? stop : { kind: 'fallback', tool: next };
}

const firstWaitSec = 5;

/** Until the server's reset and up to a second more; without one, or one that has passed already, 5 s, doubled each time, up to a quarter more, never past what we may wait. */
function waitFor(resetAt: string | null | undefined, at: Circumstances): number {
	const left = secondsUntil(resetAt, at.now);
	if (left !== null && left > 0) return left + at.jitter;
	const doubled = firstWaitSec * 2 ** Math.min(20, Math.max(0, at.attemptsOfClassInARow - 1));
	return Math.min(doubled * (1 + at.jitter / 4), at.maxWaitSec);
}

function secondsUntil(time: string | null | undefined, now: string): number | null {
	const left = (Date.parse(time ?? '') - Date.parse(now)) / 1000;
	return Number.isFinite(left) ? left : null;
}
