import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/contract/servant.ts';
import { play, type Recording, recorded, recordings, streamOf } from './recording.ts';

/** What each recorded run of a real program comes to: the servant's own last word, the class of what stands against it, its steps. */
const outcomes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	claude: {
		budget: 'error budget, 3 steps',
		cut: 'error network, 0 steps',
		e401: 'error auth, 0 steps',
		e404: 'error config_error, 0 steps',
		e429: 'error rate_limit, 0 steps',
		e500: 'error provider_unavailable, 0 steps',
		e529: 'error provider_unavailable, 0 steps',
		empty: 'success, 0 steps',
		emptystdin: 'silent, no events',
		fallback: 'error provider_unavailable, 0 steps',
		flaky429: 'success, 1 steps',
		'hang-sigint': 'silent, 0 steps',
		'hang-sigterm': 'silent, 0 steps',
		'hang2-sigterm': 'silent, 1 steps',
		'hangstream-long': 'silent, 0 steps',
		loop: 'success, 13 steps',
		maxtokens: 'error truncated, 4 steps',
		maxturns: 'error max_steps, 3 steps',
		nokey: 'error auth, 0 steps',
		partial: 'success, 2 steps',
		'perm-acceptedits': 'success, 2 steps',
		'perm-default': 'success, 2 steps',
		'perm-plan': 'success, 2 steps',
		persist: 'success, 2 steps',
		quota: 'error quota, 0 steps',
		resume: 'success, 1 steps',
		'resume-bad': 'error config_error, 0 steps',
		'resume-othercwd': 'error config_error, 0 steps',
		'retries0-401': 'error auth, 0 steps',
		'retries0-429': 'error rate_limit, 0 steps',
		'retries2-500': 'error provider_unavailable, 0 steps',
		'root-nosandbox': 'silent, no events',
		schema: 'success, 2 steps',
		'sleep-sigint': 'error interrupted, 1 steps',
		'sleep-sigkill': 'silent, 1 steps',
		'sleep-sigterm': 'silent, 1 steps',
		'sleep-sigterm-group': 'silent, 1 steps',
		sseerror: 'error network, 0 steps',
		text: 'success, 1 steps',
		tool: 'success, 2 steps',
		toolong: 'error prompt_too_large, 0 steps',
	},
	codex: {
		badflag: 'silent, no events',
		builtin: 'success, 3 steps',
		'builtin-401': 'error auth, 0 steps',
		cut: 'error network, 0 steps',
		e401: 'error auth, 0 steps',
		e404: 'error config_error, 0 steps',
		e429: 'error rate_limit, 0 steps',
		e500: 'error provider_unavailable, 0 steps',
		e529: 'error provider_unavailable, 0 steps',
		empty: 'success, 0 steps',
		emptystdin: 'silent, no events',
		flaky429: 'success, 1 steps',
		'hang-sigint': 'silent, 0 steps',
		'hang-sigterm': 'silent, 0 steps',
		'hang2-sigterm': 'silent, 1 steps',
		'hangstream-long': 'silent network, 0 steps',
		loop: 'success, 13 steps',
		maxtokens: 'error truncated, 1 steps',
		nogit: 'silent, no events',
		nokey: 'error auth, 0 steps',
		persist: 'success, 3 steps',
		quota: 'error quota, 0 steps',
		readonly: 'success, 3 steps',
		resume: 'success, 1 steps',
		'resume-bad': 'silent, no events',
		'retries0-429': 'error rate_limit, 0 steps',
		'retries0-500': 'error provider_unavailable, 0 steps',
		'sandbox-ro-toolfail': 'success, 2 steps',
		'sandbox-ro-write': 'success, 1 steps',
		'sandbox-ws-write': 'success, 2 steps',
		schema: 'success, 1 steps',
		'sleep-sigint': 'silent, 0 steps',
		'sleep-sigkill': 'silent, 0 steps',
		'sleep-sigterm': 'silent, 0 steps',
		'sleep-sigterm-group': 'silent, 0 steps',
		sseerror: 'error provider_unavailable, 0 steps',
		text: 'success, 1 steps',
		tool: 'success, 3 steps',
		toolong: 'error prompt_too_large, 0 steps',
		wswrite: 'success, 3 steps',
	},
	copilot: {
		anthropic: 'success, 2 steps',
		badflag: 'silent, no events',
		cut: 'error network, 1 steps',
		e401: 'error auth, 1 steps',
		e404: 'error config_error, 1 steps',
		e429: 'error rate_limit, 1 steps',
		e500: 'error provider_unavailable, 1 steps',
		e529: 'error provider_unavailable, 1 steps',
		empty: 'error empty, 1 steps',
		emptystdin: 'silent, no events',
		flaky429: 'success, 1 steps',
		'hang-sigint': 'silent, 1 steps',
		'hang-sigint-group': 'error interrupted, 1 steps',
		'hang-sigterm': 'silent, 1 steps',
		'hang2-sigterm': 'silent, 2 steps',
		'hangstream-long': 'silent, 1 steps',
		loop: 'success, 13 steps',
		maxtokens: 'success, 3 steps',
		noallow: 'success, 2 steps',
		nomodel: 'silent, no events',
		noprovider: 'silent, no events',
		persist: 'success, 2 steps',
		quota: 'error quota, 1 steps',
		resume: 'success, 1 steps',
		'resume-bad': 'silent, no events',
		'sleep-sigint': 'silent, 1 steps',
		'sleep-sigkill': 'silent, 1 steps',
		'sleep-sigterm': 'silent, 1 steps',
		'sleep-sigterm-group': 'silent interrupted, 1 steps',
		sseerror: 'error provider_unavailable, 1 steps',
		text: 'success, 1 steps',
		tool: 'success, 2 steps',
		toolong: 'error prompt_too_large, 1 steps',
		usagefile: 'success, 2 steps',
		'usagefile-err': 'error provider_unavailable, 1 steps',
		'usagefile-resume': 'success, 1 steps',
		'usagefile-sigkill': 'silent, 2 steps',
		'usagefile-sigterm': 'silent interrupted, 2 steps',
	},
	gemini: {
		'attempts2-429': 'error rate_limit, 0 steps',
		'attempts2-500': 'error provider_unavailable, 0 steps',
		badflag: 'silent, no events',
		cut: 'error network, 0 steps',
		e401: 'error auth, 0 steps',
		e404: 'error config_error, 0 steps',
		e429: 'error rate_limit, 0 steps',
		e500: 'error provider_unavailable, 0 steps',
		e529: 'error provider_unavailable, 0 steps',
		empty: 'error empty, 0 steps',
		emptystdin: 'silent config_error, no events',
		flaky429: 'success, 0 steps',
		'hang-sigint': 'silent, 0 steps',
		'hang-sigterm': 'silent, 0 steps',
		'hang-sigterm-norelaunch': 'silent, 0 steps',
		'hang2-sigterm': 'silent, 1 steps',
		'hangstream-long': 'silent, 0 steps',
		loop: 'success, 12 steps',
		maxtokens: 'success, 0 steps',
		maxturns: 'error max_steps, 3 steps',
		'model-auto': 'success, 1 steps',
		'model-pro': 'success, 0 steps',
		nokey: 'silent auth, no events',
		'perm-default': 'success, 0 steps',
		'perm-plan': 'success, 0 steps',
		persist: 'success, 1 steps',
		quota: 'error quota, 0 steps',
		resume: 'success, 0 steps',
		'resume-bad': 'silent config_error, no events',
		'sleep-sigint': 'silent, 1 steps',
		'sleep-sigkill': 'silent, 1 steps',
		'sleep-sigterm': 'silent, 1 steps',
		'sleep-sigterm-group': 'silent, 1 steps',
		sseerror: 'error network, 0 steps',
		text: 'success, 0 steps',
		tool: 'success, 1 steps',
		toolong: 'error prompt_too_large, 0 steps',
	},
	opencode: {
		cut: 'error network, 1 steps',
		e401: 'error auth, 0 steps',
		e404: 'error config_error, 0 steps',
		e429: 'error rate_limit, 0 steps',
		e500: 'error provider_unavailable, 0 steps',
		e529: 'error provider_unavailable, 0 steps',
		empty: 'success, 1 steps',
		flaky429: 'success, 1 steps',
		'hang-sigint': 'silent, no events',
		'hang-sigterm': 'silent, no events',
		loop: 'success, 13 steps',
		maxtokens: 'silent, 1 steps',
		quota: 'error quota, 0 steps',
		'sleep-sigint': 'silent, 1 steps',
		'sleep-sigkill': 'silent, 1 steps',
		'sleep-sigterm': 'silent, 1 steps',
		sseerror: 'error provider_unavailable, 1 steps',
		text: 'success, 1 steps',
		tool: 'success, 2 steps',
		toolong: 'error prompt_too_large, 0 steps',
	},
};

describe.each(Object.entries(outcomes))('recordings of %s', (tool, named) => {
	test.each(Object.entries(named))('%s: %s', (name, outcome) => {
		expect(inWords(play(recorded(tool, name)))).toBe(outcome);
	});
});

test('every recording has an expected outcome', () => {
	expect(recordings.filter(({ tool, name }) => outcomes[tool]?.[name] === undefined)).toEqual([]);
});

test('a run that succeeded has used the tokens that were served', () => {
	const wrong = recordings
		.filter((recording) => !recording.name.includes('resume'))
		.map((recording) => ({ recording, told: play(recording, { scratch: usageFile(recording) }) }))
		.filter(({ told }) => told.final === 'success')
		.filter(({ recording, told }) => JSON.stringify(told.usage) !== JSON.stringify(served(recording)));
	expect(wrong).toEqual([]);
});

test('a run that a limit ended has used the tokens that were served, its last response included', () => {
	for (const [tool, name] of [
		['claude', 'budget'],
		['claude', 'maxturns'],
		['claude', 'maxtokens'],
		['claude', 'sleep-sigint'],
		['gemini', 'maxturns'],
	] as const) {
		expect(play(recorded(tool, name)).usage, `${tool} ${name}`).toEqual(served(recorded(tool, name)));
	}
});

test('tokens are known while claude still works, output too', () => {
	const lines = streamOf(recorded('claude', 'partial')).toString().split('\n');
	const told = play(recorded('claude', 'partial'), { stream: lines.slice(0, -2).join('\n') });
	expect(told.final).toBeNull();
	expect(told.usage).toEqual({ input_tokens: 2001, cached_input_tokens: 600, output_tokens: 41 });
});

test('claude reports its cost and its turns, gemini its tool calls', () => {
	const claude = play(recorded('claude', 'maxturns'));
	expect([claude.costUsd, claude.costSource, claude.turnsReported, claude.stepsReported]).toEqual([0.010674, 'reported', 4, null]);
	const gemini = play(recorded('gemini', 'loop'));
	expect([gemini.costUsd, gemini.turnsReported, gemini.stepsReported]).toEqual([null, null, 12]);
});

test('the answer is what was said last, not what was said on the way', () => {
	for (const tool of ['claude', 'codex', 'gemini', 'copilot', 'opencode']) {
		expect(play(recorded(tool, 'tool')).text, tool).toBe('Done: the command printed hi.');
	}
});

test('an error message is a complaint, not an answer', () => {
	for (const tool of ['claude', 'codex', 'gemini', 'copilot', 'opencode']) {
		const told = play(recorded(tool, 'quota'));
		expect([told.text, told.complaint?.class], tool).toEqual(['', 'quota']);
	}
});

test('when to try again is taken from what the servant heard', () => {
	expect(play(recorded('claude', 'e429')).complaint).toMatchObject({ class: 'rate_limit', status: 429, retryAfterSec: 2 });
	expect(play(recorded('gemini', 'e429')).complaint).toMatchObject({ class: 'rate_limit', retryAfterSec: 2 });
	expect(play(recorded('copilot', 'e429')).complaint).toMatchObject({ class: 'rate_limit', status: 429, retryAfterSec: 2 });
	expect(play(recorded('opencode', 'e429')).complaint).toMatchObject({ class: 'rate_limit', status: 429, retryAfterSec: 2 });
});

test('sessions are known: said by the stream, or chosen by us', () => {
	expect(play(recorded('codex', 'hang-sigterm')).sessionId).toMatch(/^01a1/);
	expect(play(recorded('copilot', 'sleep-sigkill'), { session: 'chosen' }).sessionId).toBe('chosen');
	expect(play(recorded('copilot', 'emptystdin'), { session: 'chosen' }).sessionId).toBeNull();
	expect(play(recorded('copilot', 'text'), { session: 'chosen' }).sessionId).toBe('94d77c18-72b5-4fbf-a86e-b2660b7b9667');
});

test('a resumed session counts only what it used itself', () => {
	const earlier = { input_tokens: 2001, cached_input_tokens: 600, output_tokens: 41 };
	const own = { input_tokens: 1001, cached_input_tokens: 300, output_tokens: 21 };
	expect(play(recorded('codex', 'resume'), { baseline: earlier }).usage).toEqual(own);
	expect(play(recorded('claude', 'resume'), { baseline: earlier }).usage).toEqual(own);
	const whole = { input_tokens: 3002, cached_input_tokens: 900, output_tokens: 62 };
	const scratch = usageFile({ served: { responses: 3, input: whole.input_tokens, cached_input: 900, output: 62 } });
	expect(play(recorded('copilot', 'usagefile-resume'), { baseline: earlier, scratch }).usage).toEqual(own);
	// What the first run used was never told, because it was killed: then the session's whole usage is what is new.
	expect(play(recorded('codex', 'resume'), { baseline: null }).usage).toEqual(whole);
	// A session that was not found again began anew.
	expect(play(recorded('codex', 'text'), { baseline: earlier }).usage).toEqual(served(recorded('codex', 'text')));
});

function inWords({ final, complaint, stepsComputed }: Progress): string {
	const class_ = complaint === null ? '' : ` ${complaint.class}`;
	return `${final ?? 'silent'}${class_}, ${stepsComputed === null ? 'no events' : `${stepsComputed} steps`}`;
}

/** One title request of opencode is served but never told. */
function served({ tool, served }: Recording) {
	const untold = tool === 'opencode' ? { input: 1000, cached: 300, output: 20 } : { input: 0, cached: 0, output: 0 };
	return {
		input_tokens: served.input - untold.input,
		cached_input_tokens: served.cached_input - untold.cached,
		output_tokens: served.output - untold.output,
	};
}

/** As copilot writes it. */
function usageFile({ served }: Pick<Recording, 'served'>): Record<string, string> {
	const usage = { inputTokens: served.input, outputTokens: served.output, cacheReadTokens: served.cached_input, cacheWriteTokens: 0 };
	return { 'usage.json': JSON.stringify({ modelMetrics: { 'gpt-5.4': { requests: { count: served.responses }, usage } } }) };
}

test('what a servant says for its own developers, or at every start, is no reason', () => {
	expect(play(recorded('claude', 'sleep-sigint')).complaint?.message).toBe('error_during_execution');
	const failed = {
		...recorded('gemini', 'nokey'),
		code: 41,
		stderr: 'Please set an auth method\nYOLO mode is enabled. All is approved.\n',
	};
	expect(play(failed, { stream: '' }).complaint).toMatchObject({ class: 'auth', message: 'Please set an auth method' });
});
