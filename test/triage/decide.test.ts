import { describe, expect, test } from 'vitest';
import { FailureClass, type StageFailure } from '../../src/contract/stage-failure.ts';
import { type Circumstances, decide } from '../../src/triage/decide.ts';
import { everyFailure } from './every-failure.ts';

const now = '2026-11-18T10:00:00Z';
const inSeconds = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();
const plain: Omit<Circumstances, 'failure'> = {
	retriesUsed: 0,
	retryBudget: 2,
	fallbackLeft: [],
	attemptsOfClassInARow: 1,
	jitter: 0,
	now,
	maxWaitSec: 600,
	waitForever: false,
	canTighten: true,
	fixRoundsLeft: 0,
	hasFixTarget: true,
};
const decision = (failure: StageFailure, over: Partial<Circumstances> = {}) => decide({ ...plain, failure, ...over }).decision;
const limit = (seconds: number | null): StageFailure => ({
	class: 'rate_limit',
	reason: 'r',
	resetAt: seconds === null ? null : inSeconds(seconds),
});

describe('with budget left and no fallback', () => {
	const retried: Partial<Record<FailureClass, object>> = {
		rate_limit: { kind: 'retry', waitSec: 5, addReasons: false, digest: null },
		provider_unavailable: { kind: 'retry', waitSec: 5, addReasons: false, digest: null },
		network: { kind: 'retry', waitSec: 5, addReasons: false, digest: null },
		prompt_too_large: { kind: 'retry', waitSec: 0, addReasons: false, digest: 'aggressive' },
		contract_violation: { kind: 'retry', waitSec: 0, addReasons: true, digest: null },
		empty_output: { kind: 'retry', waitSec: 0, addReasons: true, digest: null },
		no_change: { kind: 'retry', waitSec: 0, addReasons: true, digest: null },
	};
	test.each(FailureClass.options)('%s', (kind) => {
		expect(decision(everyFailure[kind])).toEqual(retried[kind] ?? { kind: 'stop' });
	});
});

describe('with the retries used up and a fallback left', () => {
	const handed = ['rate_limit', 'provider_unavailable', 'network', 'quota', 'auth', 'tool_missing', 'config_error'];
	test.each(FailureClass.options)('%s', (kind) => {
		const expected = handed.includes(kind) ? { kind: 'fallback', tool: 'claude' } : { kind: 'stop' };
		expect(decision(everyFailure[kind], { retriesUsed: 2, fallbackLeft: ['claude', 'gemini'] })).toEqual(expected);
	});
});

describe('waiting', () => {
	test.each([
		['5 s, doubled each time', limit(null), { attemptsOfClassInARow: 3 }, 20],
		['with jitter up to a quarter', limit(null), { attemptsOfClassInARow: 2, jitter: 1 }, 12.5],
		['never longer than allowed', limit(null), { attemptsOfClassInARow: 30 }, 600],
		["until the server's reset", limit(120), {}, 120],
		['a little longer', limit(120), { jitter: 0.5 }, 120.5],
		['by the usual steps when it has passed', limit(-30), { attemptsOfClassInARow: 2 }, 10],
		['until the reset of an outage', { class: 'provider_unavailable', reason: 'r', resetAt: inSeconds(7) } as StageFailure, {}, 7],
		['as long as it takes with --wait', limit(90_000), { waitForever: true }, 90_000],
		[
			'for a quota too, with --wait',
			{ class: 'quota', reason: 'r', resetAt: inSeconds(9000) } as StageFailure,
			{ waitForever: true },
			9000,
		],
		['by the usual steps when the reset is no time', { class: 'rate_limit', reason: 'r', resetAt: 'soon' } as StageFailure, {}, 5],
	])('%s', (_, failure, over, waitSec) => {
		expect(decision(failure, over)).toMatchObject({ kind: 'retry', waitSec });
	});
	test('a reset further away than that is a quota', () => {
		expect(decide({ ...plain, failure: limit(601) })).toEqual({
			decision: { kind: 'stop' },
			class: 'quota',
			failure: { class: 'quota', reason: 'r', resetAt: inSeconds(601) },
		});
		expect(decision(limit(601), { fallbackLeft: ['claude'] })).toEqual({ kind: 'fallback', tool: 'claude' });
		expect(decide({ ...plain, failure: limit(600) }).class).toBe('rate_limit');
	});
	test('a quota whose end is unknown is not waited for', () => {
		expect(decision(everyFailure.quota, { waitForever: true })).toEqual({ kind: 'stop' });
	});
});

test.each([
	['a budget of none', everyFailure.contract_violation, { retryBudget: 0 }, 'stop'],
	['the last retry', everyFailure.contract_violation, { retriesUsed: 1 }, 'retry'],
	['no retry left', everyFailure.contract_violation, { retriesUsed: 2 }, 'stop'],
	['the digest is as tight as it gets', everyFailure.prompt_too_large, { canTighten: false }, 'stop'],
	['a fix round', everyFailure.acceptance_failed, { fixRoundsLeft: 1 }, 'fix'],
	['nobody to send it back to', everyFailure.acceptance_failed, { fixRoundsLeft: 1, hasFixTarget: false }, 'stop'],
])('%s', (_, failure, over, kind) => {
	expect(decision(failure, over).kind).toBe(kind);
});
