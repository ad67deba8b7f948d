import { describe, expect, test } from 'vitest';
import { classFromStatus, classFromText, limitNotice, resetTime } from '../../src/contract/complaint-text.ts';
import { retryAfterSeconds } from '../../src/contract/reset-time.ts';

test.each([
	['Rate limit reached for x on tokens per min (TPM): Limit 30000. Please try again in 2s.', 'rate_limit'],
	['Resource has been exhausted (e.g. check quota).\nSuggested retry after 2s.', 'rate_limit'],
	['Quota exceeded for quota metric and limit per minute.', 'rate_limit'],
	['You’ve hit your usage limit. Upgrade to Pro or try again at 9:51 AM.', 'rate_limit'],
	['You have exhausted your daily quota on this model.', 'quota'],
	['You exceeded your current quota, please check your plan and billing details.', 'quota'],
	['Your credit balance is too low to access the API.', 'quota'],
	['Incorrect API key provided: sk-x.', 'auth'],
	['When using the API, you must specify the GEMINI_API_KEY environment variable.', 'auth'],
	['Error: No authentication information found.', 'auth'],
	['connect ECONNREFUSED 127.0.0.1:443', 'network'],
	['stream disconnected before completion: error sending request', 'network'],
	['The model `x` does not exist or you do not have access to it.', 'config_error'],
	["error: unexpected argument '--nope' found", 'config_error'],
	['Input exceeds the maximum length of 1048576 characters.', 'prompt_too_large'],
	['The input token count (2134620) exceeds the maximum number of tokens allowed (1048576).', 'prompt_too_large'],
	['Error: piped stdin input exceeds 10MB.', 'prompt_too_large'],
	['HTTP 503', 'provider_unavailable'],
	['unexpected status 502 Bad Gateway', 'provider_unavailable'],
	['Reading prompt from stdin...', null],
	['cat: secrets: Permission denied', null],
	['processed 429 files', null],
	['', null],
])('%s → %s', (text, expected) => {
	expect(classFromText(text)).toBe(expected);
});

test('a status counts before the words, except where it means several things', () => {
	expect(classFromStatus(401, 'overloaded')).toBe('auth');
	expect(classFromStatus(429, 'slow down')).toBe('rate_limit');
	expect(classFromStatus(429, 'You exceeded your current quota')).toBe('quota');
	expect(classFromStatus(400, 'prompt is too long: 5 tokens > 4 maximum')).toBe('prompt_too_large');
	expect(classFromStatus(400, 'bad request')).toBeNull();
	expect(classFromStatus(404, 'nothing here')).toBe('config_error');
	expect(classFromStatus(529, '')).toBe('provider_unavailable');
	expect(classFromStatus(null, 'overloaded')).toBe('provider_unavailable');
});

describe('an answer that is only a notice', () => {
	test.each([
		['You’ve hit your usage limit. Upgrade, or try again at 7:55 AM.', 'rate_limit'],
		["You've hit your session limit · resets 3pm (Europe/Berlin)", 'rate_limit'],
		['Credit balance is too low', 'quota'],
		['Weekly limit reached', 'quota'],
		['API Error: Request rejected (429) · try again later', 'rate_limit'],
		["I can't help with that.", 'refusal'],
		['I’m sorry, but I cannot assist with this request.', 'refusal'],
		['Not logged in · Please run /login', 'auth'],
		['Invalid API key · Fix external API key', 'auth'],
		['Claude AI usage limit reached|1795000000', 'rate_limit'],
		['You have exhausted your daily quota on this model.\nPlease wait and try again later.', 'quota'],
		['You exceeded your current quota, please check your plan and billing details.', 'quota'],
		['Your credit balance is too low to access the API. Please go to Plans & Billing.', 'quota'],
		['Rate limit reached for x in organization y on tokens per min (TPM): Limit 30000. Please try again in 2s.', 'rate_limit'],
		['Rate limit exceeded, please try again later', 'rate_limit'],
		['Prompt is too long · the request is ~213462 tokens (limit 200000)', 'prompt_too_large'],
		['API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.', 'provider_unavailable'],
		['API Error: 500 Internal server error', 'provider_unavailable'],
	])('%s', (answer, expected) => {
		expect(limitNotice(answer)?.class).toBe(expected);
	});

	test.each([
		['a review that talks about limits', '## Findings\n\n[HIGH] You have exceeded your rate limit is shown for every 429.\n'],
		['a plan that opens with the words', `Rate limit exceeded errors are handled in three places.\n\n# Plan\n\n1. …`],
		[
			'a long text that opens with the words',
			`You have reached your usage limit is what users see today. ${'More is to be said about it. '.repeat(40)}`,
		],
		['a finding about a limit', 'The request limit exceeded branch is in src/a.ts:3; it throws.'],
		['a finding about errors', 'Rate limit exceeded errors are raised in src/a.ts:3 and caught in src/b.ts.'],
		['a status that is handled', 'Rate limit exceeded (429) is handled in src/a.ts:3.'],
		['a status that is named', '429 responses are retried in src/a.ts:3.'],
		['a finding about keys', 'Invalid API key errors are swallowed in src/a.ts:3.'],
		['a finding about names', 'Overloaded methods are declared in src/a.ts:3.'],
		['a sentence about a message', 'You have reached your usage limit is what users see.'],
		['a modest sentence', 'I cannot find any problem with this change.'],
		['nothing', ''],
	])('but not %s', (_, answer) => {
		expect(limitNotice(answer)).toBeNull();
	});
});

describe('when it may be tried again', () => {
	const now = '2026-11-18T07:00:00.000Z';
	test.each([
		['Please try again in 2s.', '2026-11-18T07:00:02.000Z'],
		['Suggested retry after 1m30.5s.', '2026-11-18T07:01:30.500Z'],
		['try again in 1 day, 2 hours and 5 minutes', '2026-11-19T09:05:00.000Z'],
		['Usage limit reached|1795000000', '2026-11-18T11:06:40.000Z'],
		['"resets_at": 1795000000', '2026-11-18T11:06:40.000Z'],
		['Limit resets at 2026-11-18T09:30:00Z.', '2026-11-18T09:30:00.000Z'],
		['resets 3pm (UTC)', '2026-11-18T15:00:00.000Z'],
		['resets 3am (Europe/Berlin)', '2026-11-19T02:00:00.000Z'],
		['resets at 9:15 AM (Europe/Berlin)', '2026-11-18T08:15:00.000Z'],
		['try again at Nov 20th, 2026 7:55 AM (UTC)', '2026-11-20T07:55:00.000Z'],
		['resets 3pm (Nowhere/Land)', null],
		['try again later', null],
		['try again at 99:99 PM', null],
		['try again 5 times', null],
	])('%s', (text, expected) => {
		expect(resetTime(text, now)).toBe(expected);
	});

	test('a clock time without a zone is the machine’s, today or tomorrow', () => {
		const at = new Date(resetTime('or try again at 7:55 AM.', now)!);
		expect([at.getHours(), at.getMinutes()]).toEqual([7, 55]);
		expect(at.getTime() - Date.parse(now)).toBeGreaterThan(0);
		expect(at.getTime() - Date.parse(now)).toBeLessThanOrEqual(86_400_000);
	});

	test('a duration in milliseconds, hours, or not at all', () => {
		expect([retryAfterSeconds('Retry after 250ms'), retryAfterSeconds('wait 2h'), retryAfterSeconds('wait')]).toEqual([0.25, 7200, null]);
	});
});
