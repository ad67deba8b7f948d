import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/contract/evidence.ts';
import { RoleContract } from '../../src/contract/role.ts';
import type { Progress, ServantComplaint } from '../../src/contract/servant.ts';
import type { StageFailure } from '../../src/contract/stage-failure.ts';
import { judge } from '../../src/gate/judge.ts';

const now = '2026-11-18T10:00:00.000Z';
const progress: Progress = {
	stepsComputed: 7,
	stepsReported: null,
	turnsReported: null,
	usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null },
	costUsd: null,
	costBeforeSuccessUsd: null,
	costSource: null,
	sessionId: null,
	text: 'x',
	complaint: null,
	final: 'success',
};

const badFlag = new URL('../fixtures/streams/gemini/badflag.stderr', import.meta.url);

const role = (over: Partial<RoleContract> = {}) => RoleContract.parse({ purpose: 'plan', access: 'read', ...over });

type Over = Omit<Partial<Evidence>, 'role' | 'progress'> & { role?: Partial<RoleContract>; progress?: Partial<Progress> };

const evidence = (over: Over = {}): Evidence => ({
	stage: 'codex_review',
	tool: 'codex',
	roleName: 'review',
	output: 'jsonl',
	exitCode: 0,
	signal: null,
	ending: null,
	lost: false,
	answer: 'A fine answer.',
	stderr: '',
	token: 'ab12',
	prompt: '',
	noise: [],
	changes: [],
	work: over.changes ?? [],
	scope: { allow: ['src'], deny: [] },
	acceptance: [],
	diff: { kind: 'none' },
	failOnHigh: false,
	now,
	...over,
	role: role(over.role),
	progress: { ...progress, ...over.progress },
});

const failureOf = (over: Over): StageFailure | null => {
	const result = judge(evidence(over));
	return result.pass ? null : result.failure;
};

const complaint = (over: Partial<ServantComplaint> & Pick<ServantComplaint, 'class'>): ServantComplaint => ({
	message: 'it said so',
	status: null,
	retryAfterSec: null,
	resetAt: null,
	...over,
});
const complained = (over: Parameters<typeof complaint>[0], exitCode = 1): Over => ({
	exitCode,
	answer: '',
	progress: { final: 'error', complaint: complaint(over) },
});

test('a good answer passes', () => {
	expect(judge(evidence())).toEqual({ pass: true, verdict: null, findings: null });
});

describe('our own ending is the class, whatever else there is', () => {
	const rest = complained({ class: 'rate_limit' });
	test.each<[Evidence['ending'], StageFailure]>([
		[
			{ why: 'timeout', limitSec: 9 },
			{ class: 'timeout', limitSec: 9 },
		],
		[
			{ why: 'max_steps', limit: 50, steps: 51 },
			{ class: 'max_steps', limit: 50, steps: 51 },
		],
		[
			{ why: 'cost', limitUsd: 1, costUsd: 1.234 },
			{ class: 'budget_exhausted', reason: 'cost 1.23 USD, budget 1.00 USD', budget: 'cost', spentUsd: 1.234 },
		],
		[
			{ why: 'output_limit', limitMb: 5 },
			{ class: 'output_limit', limitMb: 5 },
		],
		[{ why: 'interrupted' }, { class: 'interrupted', reason: 'the run was interrupted' }],
	])('%j', (ending, expected) => {
		expect(failureOf({ ...rest, ending, signal: 'SIGTERM', changes: [{ path: 'x', kind: 'added' }] })).toEqual(expected);
	});
	test('a lost wrapper is killed', () => {
		expect(failureOf({ lost: true, exitCode: null })).toMatchObject({ class: 'killed' });
	});
});

describe('the class of a servant that failed', () => {
	const unclear = { final: null, complaint: null };
	test.each<[string, Over, StageFailure | { class: string }]>([
		[
			'rate limit with retry-after',
			complained({ class: 'rate_limit', retryAfterSec: 90 }),
			{ class: 'rate_limit', reason: 'it said so', resetAt: '2026-11-18T10:01:30.000Z' },
		],
		[
			'rate limit with a reset',
			complained({ class: 'rate_limit', resetAt: '2026-11-18T12:00:00Z' }),
			{ class: 'rate_limit', reason: 'it said so', resetAt: '2026-11-18T12:00:00Z' },
		],
		['quota', complained({ class: 'quota' }), { class: 'quota', reason: 'it said so', resetAt: null }],
		['login', complained({ class: 'auth' }), { class: 'auth', reason: 'it said so' }],
		[
			'outage',
			complained({ class: 'provider_unavailable', retryAfterSec: 5 }),
			{ class: 'provider_unavailable', reason: 'it said so', resetAt: '2026-11-18T10:00:05.000Z' },
		],
		['network', complained({ class: 'network' }), { class: 'network', reason: 'it said so', resetAt: null }],
		['too large', complained({ class: 'prompt_too_large' }), { class: 'prompt_too_large', reason: 'it said so' }],
		['unknown model', complained({ class: 'config_error' }), { class: 'config_error', reason: 'it said so' }],
		['refusal', complained({ class: 'refusal' }), { class: 'contract_violation', reasons: ['the servant refused: it said so'] }],
		['cut off', complained({ class: 'truncated' }), { class: 'contract_violation', reasons: ['the answer was cut off'] }],
		['an empty answer, reported as an error', complained({ class: 'empty' }), { class: 'empty_output', reason: 'it said so' }],
		['its own step limit', { ...complained({ class: 'max_steps' }), maxSteps: 6 }, { class: 'max_steps', limit: 6, steps: 7 }],
		['its own budget', complained({ class: 'budget' }), { class: 'budget_exhausted', reason: 'it said so', budget: 'cost' }],
		['it was stopped', complained({ class: 'interrupted' }), { class: 'killed', reason: 'it said so' }],
		['an error reported with exit 0', complained({ class: 'provider_unavailable' }, 0), { class: 'provider_unavailable' }],
		['an error known only as text', complained({ class: null, message: 'Rate limit exceeded' }), { class: 'rate_limit' }],
		[
			'text cannot claim what only we know',
			complained({ class: null, message: 'maximum number of turns' }),
			{ class: 'unknown', reason: 'exit 1: maximum number of turns' },
		],
		['stderr, as a last resort', { exitCode: 1, stderr: 'debug\nError: 401 Unauthorized\n', progress: unclear }, { class: 'auth' }],
		[
			'a command line that was refused, before a page of usage',
			{ exitCode: 1, stderr: readFileSync(badFlag, 'utf8'), progress: { ...unclear, text: '' } },
			{ class: 'config_error', reason: 'Unknown argument: nope' },
		],
		[
			'a page that begins so after it had begun to answer',
			{ exitCode: 1, stderr: readFileSync(badFlag, 'utf8'), progress: unclear },
			{ class: 'unknown', reason: 'exit 1: -h, --help Show help [boolean]' },
		],
		[
			'an ordinary failure',
			{ exitCode: 3, stderr: 'warming up\nsegment missing\n', progress: unclear },
			{ class: 'unknown', reason: 'exit 3: segment missing' },
		],
		[
			'a signal',
			{ exitCode: 137, signal: 'SIGKILL', progress: { ...unclear, complaint: complaint({ class: 'rate_limit' }) } },
			{ class: 'killed', reason: 'the servant was ended by SIGKILL' },
		],
		['no success event', { progress: unclear }, { class: 'unknown', reason: 'ended without its own success event' }],
		['the success event, but another exit', { exitCode: 1 }, { class: 'unknown', reason: 'exit 1' }],
		[
			'cut off though it calls that success',
			{ progress: { complaint: complaint({ class: 'truncated' }) } },
			{ class: 'contract_violation' },
		],
		[
			'a missing program',
			{ exitCode: 127, stderr: 'dispatch-ab12: 1: exec: codex: not found\n', answer: '', progress: { ...unclear, text: '' } },
			{ class: 'tool_missing', command: 'codex' },
		],
		[
			'a program that may not run',
			{
				exitCode: 126,
				stderr: 'dispatch-ab12: line 9: /opt/my tools/codex: Permission denied\n',
				answer: '',
				progress: { ...unclear, text: '' },
			},
			{ class: 'tool_missing', command: '/opt/my tools/codex' },
		],
		[
			'a servant that speaks as the wrapper would',
			{ exitCode: 127, stderr: 'dispatch-x: nope: not found\n', answer: '', progress: { ...unclear, text: '' } },
			{ class: 'unknown' },
		],
		['a servant whose own tool was missing', { exitCode: 127, stderr: 'sh: 1: rg: not found\n', progress: unclear }, { class: 'unknown' }],
		[
			'a servant that pretends to be missing',
			{ exitCode: 127, stderr: 'dispatch-x: codex: not found\n', progress: { ...unclear, text: '', sessionId: 's1' } },
			{ class: 'unknown' },
		],
	])('%s', (_, over, expected) => {
		expect(failureOf(over)).toMatchObject(expected);
	});
	test('a text servant needs only exit 0', () => {
		expect(failureOf({ output: 'text', progress: unclear })).toBe(null);
	});
	test('a warning on the way to success is no failure', () => {
		expect(failureOf({ progress: { complaint: complaint({ class: 'rate_limit' }) } })).toBe(null);
	});
	test('stderr that repeats the prompt is a quotation, and no reason', () => {
		const prompt = 'handle: credit balance is too low\nPlease log in\n=== END ===\n';
		expect(failureOf({ exitCode: 1, prompt, stderr: prompt, progress: unclear })).toEqual({ class: 'unknown', reason: 'exit 1' });
		expect(failureOf({ exitCode: 1, prompt, stderr: `${prompt}Error: 401 Unauthorized\n`, progress: unclear })).toMatchObject({
			class: 'auth',
			reason: 'Error: 401 Unauthorized',
		});
	});
	test('what a servant prints at every start is no reason', () => {
		const stderr = 'no such room\nReading prompt from stdin...\n';
		expect(failureOf({ exitCode: 1, stderr, noise: ['Reading prompt from stdin'], progress: unclear })).toEqual({
			class: 'unknown',
			reason: 'exit 1: no such room',
		});
	});
	test('stderr that repeats the answer is a quotation', () => {
		const answer = 'The client ignores rate limit errors.';
		expect(failureOf({ exitCode: 1, answer, stderr: `${answer}\nbye\n`, progress: unclear })).toMatchObject({ class: 'unknown' });
	});
});

describe('the answer', () => {
	test.each<[string, string, StageFailure | { class: string } | null]>([
		['empty', ' \n\t', { class: 'empty_output' }],
		['a limit notice', "You've hit your usage limit. Upgrade your plan.", { class: 'quota' }],
		['a refusal', "I'm sorry, but I can't help with that.", { class: 'contract_violation' }],
		[
			'a review that talks about rate limits',
			'## Findings\n- [LOW] Rate limit exceeded (429) is not handled: usage limit reached, try again later',
			null,
		],
		['prose that quotes a limit', 'The handler prints "Rate limit exceeded" and goes on. That is fine.', null],
	])('%s', (_, answer, expected) => {
		const failure = failureOf({ answer });
		if (expected === null) expect(failure).toBe(null);
		else expect(failure).toMatchObject(expected);
	});
});

describe('the work tree', () => {
	const outside = [{ path: 'docs/x', kind: 'modified' as const }];
	test('a violation stands before what the servant says, so that no retry starts from it', () => {
		expect(failureOf({ ...complained({ class: 'rate_limit' }), changes: outside, role: { access: 'write' } })).toEqual({
			class: 'scope_violation',
			paths: ['docs/x'],
			access: 'write',
		});
	});
	test('a reading stage that wrote', () => {
		expect(failureOf({ changes: [{ path: 'src/a', kind: 'added' }] })).toEqual({
			class: 'scope_violation',
			paths: ['src/a'],
			access: 'read',
		});
	});
	test('outside git there is nothing to judge', () => {
		expect(failureOf({ changes: null })).toBe(null);
	});
});

describe('what a role demands', () => {
	const change = { demands: 'change' as const, access: 'write' as const };
	const proposal = { demands: 'proposal' as const };
	const verify = { demands: 'acceptance' as const };
	const ran = (command: string, exitCode: number | null, timedOut = false) => ({ command, exitCode, timedOut, durationSec: 2, output: '' });
	const lines = (count: number) => Array.from({ length: count }, (_, index) => `case ${index}`).join('\n');
	test.each<[string, Over, StageFailure | null]>([
		['sections', { role: { sections: ['Findings', 'Risks'] }, answer: '# Findings\n# risks' }, null],
		[
			'sections',
			{ role: { sections: ['Findings', 'Risks'] }, answer: '# Notes' },
			{ class: 'contract_violation', reasons: ['missing section "Findings"', 'missing section "Risks"'] },
		],
		['lines', { role: { min_lines: 10 }, answer: lines(10) }, null],
		['lines', { role: { min_lines: 10 }, answer: `# Tests\n\n${lines(4).replaceAll('\n', '\n\n')}\n\nend\n` }, null],
		[
			'lines',
			{ role: { min_lines: 10, sections: ['X'] }, answer: `\n${lines(9)}\n\n\n` },
			{ class: 'contract_violation', reasons: ['missing section "X"', 'the answer has 9 lines, at least 10 are needed'] },
		],
		['a change', { role: change, changes: [{ path: 'src/a', kind: 'modified' }] }, null],
		['a change', { role: change }, { class: 'no_change' }],
		['a change', { role: change, changes: [{ path: 'build/x', kind: 'added', ignored: true }] }, { class: 'no_change' }],
		[
			'a change',
			{ role: change, diff: { kind: 'broken', reason: 'patch failed' } },
			{ class: 'no_change', reason: "the work tree is unchanged and the answer's diff does not apply: patch failed" },
		],
		[
			'a change',
			{ role: change, diff: { kind: 'applies', paths: ['etc/x'] } },
			{ class: 'no_change', reason: "the work tree is unchanged and the answer's diff leaves the scope: etc/x" },
		],
		['a proposal', { role: proposal, diff: { kind: 'applies', paths: ['src/a'] } }, null],
		['a proposal', { role: proposal, diff: { kind: 'not_required' } }, null],
		['a proposal without a scope', { role: proposal, diff: { kind: 'applies', paths: ['any'] }, scope: { allow: [], deny: [] } }, null],
		[
			'a proposal',
			{ role: proposal, diff: { kind: 'none' } },
			{ class: 'contract_violation', reasons: ['the answer holds neither a unified diff nor the line "No diff required."'] },
		],
		[
			'a proposal',
			{ role: proposal, diff: { kind: 'broken', reason: 'corrupt' } },
			{ class: 'contract_violation', reasons: ['the proposed diff does not apply: corrupt'] },
		],
		[
			'a proposal',
			{ role: proposal, diff: { kind: 'applies', paths: ['docs/a'] } },
			{ class: 'contract_violation', reasons: ['the proposed diff leaves the scope: docs/a'] },
		],
		['acceptance', { role: verify, acceptance: [ran('npm test', 0)], answer: 'fine\n\nPASS' }, null],
		['acceptance without commands', { role: verify, answer: 'fine\nPASS' }, null],
		[
			'acceptance',
			{ role: verify, acceptance: [ran('a', 1), ran('b', 0), ran('c', null, true), ran('d', null)], answer: 'FAIL' },
			{ class: 'acceptance_failed', reasons: ['a: exit 1', 'c: ended after 2 s', 'd: killed', 'the report ends in FAIL'] },
		],
		[
			'acceptance without commands',
			{ role: verify, answer: 'bad\nFAIL' },
			{ class: 'acceptance_failed', reasons: ['the report ends in FAIL'] },
		],
		['no HIGH finding', { failOnHigh: true, role: { verdict: true }, answer: '- [MEDIUM] x' }, null],
		[
			'no HIGH finding',
			{ failOnHigh: true, role: { verdict: true }, answer: '- [HIGH] x\n- [HIGH] y' },
			{ class: 'review_failed', high: 2 },
		],
		['nothing of the kind', { failOnHigh: false, role: { verdict: true }, answer: '- [HIGH] x' }, null],
	])('%s', (_, over, expected) => {
		expect(failureOf(over)).toEqual(expected);
	});
	test('verdict and findings are recorded, also when the gate fails', () => {
		const answer = '## Findings\n- [HIGH] x\n\nVerdict: CHANGES_REQUESTED';
		const read = { verdict: 'CHANGES_REQUESTED', findings: { high: 1, medium: 0, low: 0 } };
		expect(judge(evidence({ answer, role: { verdict: true } }))).toEqual({ pass: true, ...read });
		expect(judge(evidence({ answer, role: { verdict: true, sections: ['Risks'] } }))).toMatchObject({ pass: false, ...read });
	});
});
