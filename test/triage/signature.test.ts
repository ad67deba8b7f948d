import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exitKindOf, type Fault, normalise, signatureOf } from '../../src/triage/signature.ts';

const fault: Fault = { class: 'unknown', stage: 'codex_impl', tool: 'codex', exitKind: 'exit 1', reason: '', stderr: '' };

test('a signature is 16 hex digits', () => {
	expect(signatureOf(fault)).toMatch(/^[0-9a-f]{16}$/);
});

test.each([
	['stage', { stage: 'gemini_review' }],
	['tool', { tool: 'gemini' }],
	['class', { class: 'killed' as const }],
	['exit', { exitKind: 'exit 2' }],
	['reason', { reason: 'other' }],
	['stderr', { stderr: 'other' }],
])('another %s, another signature: two empty stderrs are not one fault', (_, over) => {
	expect(signatureOf({ ...fault, ...over })).not.toBe(signatureOf(fault));
});

test('stderr speaks only where there is no reason', () => {
	expect(signatureOf({ ...fault, reason: 'r', stderr: 'a' })).toBe(signatureOf({ ...fault, reason: 'r', stderr: 'b' }));
});

describe('the same fault elsewhere and at another time has the same signature', () => {
	test.each([
		['cannot open /home/ada/x/src/a.ts:12', 'cannot open /Users/bob/y.ts:9'],
		['pid 4711 at 2026-11-18T10:00:00.123Z', 'pid 9 at 2027-01-02T03:04:05Z'],
		['request req_011CSHoEeqs5C35K2UUqR7Fy failed', 'request req_7Qx91kkJJ2abcdefgh failed'],
		['session 7c0f9d1e-1111-4222-8333-444455556666 not found', 'session 00000000-aaaa-4bbb-8ccc-ddddeeeeffff not found'],
		['commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is bad', 'commit deadbeef1 is bad'],
		['limit reached, try again at 7:55 AM', 'limit reached, try again at 11:02 pm'],
		['resets Nov 18, 2026', 'resets Dec 1, 2026'],
		['\u001b[31mError\u001b[0m   in  src/a/b.ts', 'Error in lib/c.ts'],
		['GET https://api.example.com/v1/x?k=1 failed', 'GET http://127.0.0.1:8080/ failed'],
		['took 12.5 s, 3 of 10', 'took 7 s, 1 of 2'],
	])('%j and %j', (one, other) => {
		expect(normalise(one)).toBe(normalise(other));
	});
	test('for any path, number, time and id', () => {
		const word = fc.stringMatching(/^[a-z]{1,8}$/);
		const varying = fc.record({
			path: fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
			pid: fc.nat(),
			time: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
			id: fc.uuid(),
		});
		const text = ({ path, pid, time, id }: { path: string; pid: number; time: string; id: string }) =>
			`${time} worker ${pid} could not read "${path}" for ${id}: permission denied`;
		fc.assert(
			fc.property(
				varying,
				varying,
				(one, other) => signatureOf({ ...fault, stderr: text(one) }) === signatureOf({ ...fault, stderr: text(other) }),
			),
		);
	});
	test('but different words stay different', () => {
		expect(normalise('missing section "Findings"')).not.toBe(normalise('missing section "Risks"'));
	});
});

test('megabytes of anything are normalised at once', () => {
	for (const piece of ['-', 'a-', '/', 'a/', '0', 'f0', '. ', 'a_b_']) signatureOf({ ...fault, reason: piece.repeat(20_000) });
});

test.each([
	[{ exitCode: 1, signal: null, ending: null }, 'exit 1'],
	[{ exitCode: 143, signal: 'SIGTERM', ending: null }, 'SIGTERM'],
	[{ exitCode: 137, signal: 'SIGKILL', ending: { why: 'timeout' } }, 'ended by us'],
	[{ exitCode: null, signal: null, ending: null }, 'no exit'],
])('the kind of exit of %j', (end, kind) => {
	expect(exitKindOf(end)).toBe(kind);
});
