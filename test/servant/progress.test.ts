import { expect, test } from 'vitest';
import type { Progress, Reading, Servant, ServantComplaint } from '../../src/contract/servant.ts';
import { startProgress } from '../../src/servant/progress.ts';
import { servantFor } from '../../src/servant/servants.ts';

/** A servant whose events are its readings. */
const plain: Servant = {
	...servantFor('plain', { output: 'jsonl' }),
	countsSteps: true,
	read: (event) => [event as Reading],
	after: () => [],
};

function told(readings: readonly Reading[], given: { servant?: Partial<Servant>; prices?: object; model?: string } = {}): Progress {
	const prices = { m: { input: 2, cached_input: 0.5, output: 10 } };
	const running = startProgress({ servant: { ...plain, ...given.servant }, model: given.model ?? 'm', prices });
	for (const reading of readings) running.push(`${JSON.stringify(reading)}\n`);
	return running.value;
}

const complaint = (given: Partial<ServantComplaint>): ServantComplaint => ({
	class: null,
	message: 'x',
	status: null,
	retryAfterSec: null,
	resetAt: null,
	...given,
});
const passing = (given: Partial<ServantComplaint>): Reading => ({ kind: 'complaint', complaint: complaint(given), final: false });
const final = (given: Partial<ServantComplaint>): Reading => ({ kind: 'complaint', complaint: complaint(given), final: true });
const usage = (input: number, cached: number, output: number) => ({
	input_tokens: input,
	cached_input_tokens: cached,
	output_tokens: output,
});

test('before anything is said nothing is known', () => {
	expect(told([])).toEqual({
		stepsComputed: null,
		stepsReported: null,
		turnsReported: null,
		usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null },
		costUsd: null,
		costBeforeSuccessUsd: null,
		costSource: null,
		sessionId: null,
		text: '',
		complaint: null,
		final: null,
	});
});

test('a step with an id counts once', () => {
	expect(
		told([{ kind: 'step', id: 'a' }, { kind: 'step', id: 'a' }, { kind: 'step', id: 'b' }, { kind: 'step' }, { kind: 'step' }])
			.stepsComputed,
	).toBe(4);
});

test('usage with an id replaces what that id said before; a total replaces everything', () => {
	const parts: Reading[] = [
		{ kind: 'usage', mode: 'add', usage: usage(10, 1, 1), id: 'a' },
		{ kind: 'usage', mode: 'add', usage: usage(20, 2, 2), id: 'a' },
		{ kind: 'usage', mode: 'add', usage: usage(5, 0, 1) },
	];
	expect(told(parts).usage).toEqual(usage(25, 2, 3));
	expect(told([...parts, { kind: 'usage', mode: 'total', usage: usage(7, 1, 2) }]).usage).toEqual(usage(7, 1, 2));
});

test('what a success event brings is told apart from what was spent before it', () => {
	const cost = (usd: number): Reading => ({ kind: 'cost', mode: 'total', usd });
	const done: Reading = { kind: 'final', success: true };
	expect(told([cost(0.2), done, cost(0.6)])).toMatchObject({ costUsd: 0.6, costBeforeSuccessUsd: 0.2 });
	expect(told([cost(0.2), cost(0.6)])).toMatchObject({ costUsd: 0.6, costBeforeSuccessUsd: 0.6 });
	expect(told([cost(0.6), final({}), done])).toMatchObject({ final: 'error', costBeforeSuccessUsd: 0.6 });
});

test('a reported cost counts; else it is computed, cached input at its own price; else it is unknown', () => {
	const used: Reading = { kind: 'usage', mode: 'total', usage: usage(1_000_000, 400_000, 100_000) };
	expect(told([used])).toMatchObject({ costUsd: 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10, costSource: 'computed' });
	expect(told([used, { kind: 'cost', mode: 'add', usd: 0.25 }, { kind: 'cost', mode: 'add', usd: 0.5 }])).toMatchObject({
		costUsd: 0.75,
		costSource: 'reported',
	});
	expect(told([used], { model: 'other' })).toMatchObject({ costUsd: null, costSource: null });
	expect(told([used], { model: 'constructor' })).toMatchObject({ costUsd: null, costSource: null });
	expect(told([used], { servant: { paid: false } })).toMatchObject({ costUsd: 0, costSource: 'computed' });
});

test('what is billed may differ from what is listed', () => {
	const used: Reading = { kind: 'usage', mode: 'total', usage: usage(100, 50, 10), billed: usage(200, 50, 30) };
	expect(told([used])).toMatchObject({ usage: usage(100, 50, 10), costUsd: (150 * 2 + 50 * 0.5 + 30 * 10) / 1e6 });
});

test('a passing complaint is forgotten when work goes on, a final one never', () => {
	expect(told([passing({ class: 'network' })]).complaint?.class).toBe('network');
	expect(told([passing({ class: 'network' }), { kind: 'step' }]).complaint).toBeNull();
	expect(told([passing({ class: 'network' }), { kind: 'text', mode: 'append', text: 'x' }]).complaint).toBeNull();
	expect(told([final({ class: 'network' }), { kind: 'step' }]).complaint?.class).toBe('network');
});

test('the final complaint keeps what only an earlier one knew', () => {
	const heard = told([passing({ class: 'rate_limit', status: 429, retryAfterSec: 7 }), final({ message: 'gave up' })]).complaint;
	expect(heard).toEqual(complaint({ class: 'rate_limit', message: 'gave up', status: 429, retryAfterSec: 7 }));
	expect(told([passing({ class: 'rate_limit', retryAfterSec: 7 }), final({ class: 'auth' })]).complaint?.retryAfterSec).toBeNull();
	expect(told([final({ message: 'first' }), passing({ class: 'auth', message: 'second' })]).complaint).toMatchObject({
		class: 'auth',
		message: 'first',
	});
});

test('a success straight after a complaint is not believed', () => {
	const success: Reading = { kind: 'final', success: true };
	expect(told([success]).final).toBe('success');
	expect(told([passing({}), { kind: 'step' }, success]).final).toBe('success');
	expect(told([passing({}), success]).final).toBe('error');
	expect(told([final({ class: 'interrupted' }), { kind: 'step' }, success]).final).toBe('error');
});

test('a line of many megabytes is left out, and the next one is read', () => {
	const running = startProgress({ servant: plain, model: null });
	const piece = Buffer.alloc(1024 * 1024, 'x');
	running.push('{"kind":"text","mode":"append","text":"');
	for (let count = 0; count < 8; count += 1) running.push(piece);
	running.push('{"kind":"step"}\n{"kind":"step"}\n');
	expect(running.value).toMatchObject({ text: '', stepsComputed: 1 });
});

test('an answer is kept up to 16 MiB', () => {
	const running = startProgress({ servant: plain, model: null });
	const line = `${JSON.stringify({ kind: 'text', mode: 'append', text: 'x'.repeat(1024 * 1024) })}\n`;
	for (let count = 0; count < 18; count += 1) running.push(line);
	expect(running.value.text.length).toBe(16 * 1024 * 1024);
});

test('a last line without its newline counts when the process has ended', () => {
	const running = startProgress({ servant: plain, model: null });
	running.push('{"kind":"step"}');
	expect(running.value.stepsComputed).toBeNull();
	running.end({ exitCode: 0, stderr: '', scratchFile: () => null });
	expect(running.value.stepsComputed).toBe(1);
});

test('an ending that nobody knows has no class, whatever JavaScript has under its name', () => {
	const ending = (given: object) => servantFor('claude', undefined).read({ type: 'result', is_error: true, ...given });
	for (const name of ['constructor', 'toString', '__proto__']) {
		for (const given of [{ subtype: name }, { subtype: 'success', terminal_reason: name }]) {
			expect(ending(given)).toContainEqual(expect.objectContaining({ complaint: expect.objectContaining({ class: null }) }));
		}
	}
});
