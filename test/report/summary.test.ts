import { expect, test } from 'vitest';
import type { DispatchEvent } from '../../src/contract/event.ts';
import type { Workspace } from '../../src/contract/state-files.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { buildSummaryView, type SummarySource } from '../../src/report/summary-view.ts';
import { story } from '../journal/story.ts';
import { plannedStage, planOf } from './packets.ts';

const cross = ['gemini_review', 'codex_review', 'copilot_review_consolidate'];
const now = '2026-03-01T12:05:00.000Z';

function summary(events: readonly DispatchEvent[], source: Partial<SummarySource>): string {
	return renderSummary(
		buildSummaryView({
			taskId: 't1',
			plan: planOf(cross),
			manifest: null,
			state: foldJournal(events),
			status: 'completed',
			now,
			...source,
		}),
	);
}

function completed(): DispatchEvent[] {
	const t = story();
	const usage = { input_tokens: 12000, cached_input_tokens: 9000, output_tokens: 345 };
	return [
		t.run(cross),
		t.reserved('gemini_review'),
		t.passed('gemini_review', { verdict: 'APPROVED', findings: { high: 0, medium: 0, low: 1 } }, { usage }),
		t.reserved('codex_review'),
		t.passed('codex_review', {}, { duration_sec: 65.2, num_steps_computed: 11, cost_usd: null }),
		t.reserved('copilot_review_consolidate'),
		t.passed(
			'copilot_review_consolidate',
			{ verdict: 'CHANGES_REQUESTED', findings: { high: 2, medium: 1, low: 0 } },
			{ num_turns_reported: 3, cost_usd: 0.004 },
		),
		t.finished(),
	];
}

test('a completed review_cross says what came out and what to read', () => {
	expect(summary(completed(), {})).toMatchInlineSnapshot(`
		"---
		task_id: t1
		status: completed
		intent: review_cross
		profile: review_cross
		next_action: "read_outputs: read outputs/copilot_review_consolidate.copilot.out"
		verdict: CHANGES_REQUESTED
		updated: "2026-03-01T12:05:00.000Z"
		---

		**completed**: All 3 stages passed; verdict CHANGES_REQUESTED (2 high, 1 medium, 0 low). Next: read outputs/copilot_review_consolidate.copilot.out

		| stage                      | status | attempt | duration | exit | steps | cost    | gate   | output                                 |
		|----------------------------|--------|---------|----------|------|-------|---------|--------|----------------------------------------|
		| gemini_review              | passed | 1       | 12.3s    | 0    | 4     | $0.02   | passed | gemini_review.gemini.out               |
		| codex_review               | passed | 1       | 1m05s    | 0    | 11    | -       | passed | codex_review.codex.out                 |
		| copilot_review_consolidate | passed | 1       | 12.3s    | 0    | 4     | $0.0040 | passed | copilot_review_consolidate.copilot.out |

		Budgets (used / allowed): paid calls 3 / 10; cost $0.02 / no limit (1 call of unknown cost); retries per signature 2; wall clock per attempt 15m00s
		Steps: 19 (legacy turns: 3)
		Tokens: 12,000 in (9,000 cached), 345 out
		"
	`);
});

test('a failed run says what failed, why, and shows both ends of its stderr', () => {
	const t = story();
	const events = [
		t.run(cross),
		t.reserved('gemini_review'),
		t.passed('gemini_review'),
		t.reserved('codex_review'),
		t.failed('codex_review', { class: 'rate_limit', decision: 'retry', reason: '429' }),
		t.reserved('codex_review', { attempt: 2 }),
		t.collected('codex_review', { attempt: 2, call: 'in_doubt' }),
		t.failed('codex_review', {
			attempt: 2,
			class: 'contract_violation',
			signature: 'feedfacecafebeef',
			reason: 'section "Test gaps" is missing\nsection "Minimal fix" is missing',
			next_action: 'retry: dispatch retry t1',
		}),
		t.finished({ status: 'failed', exit_code: 1 }),
	];
	const stderr = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n');
	expect(summary(events, { status: 'failed', stderr, changedInputs: ['gemini_review'] })).toMatchInlineSnapshot(`
		"---
		task_id: t1
		status: failed
		intent: review_cross
		profile: review_cross
		next_action: "retry: dispatch retry t1"
		verdict: null
		updated: "2026-03-01T12:05:00.000Z"
		---

		**failed**: codex_review failed with contract_violation in attempt 2; 1 of 3 stages passed. Next: dispatch retry t1

		| stage                      | status  | attempt | duration | exit | steps | cost  | gate               | output                   |
		|----------------------------|---------|---------|----------|------|-------|-------|--------------------|--------------------------|
		| gemini_review              | passed  | 1       | 12.3s    | 0    | 4     | $0.02 | passed             | gemini_review.gemini.out |
		| codex_review               | failed  | 2       | 12.3s    | 1    | 4     | $0.02 | contract_violation | -                        |
		| copilot_review_consolidate | pending | -       | -        | -    | -     | -     | -                  | -                        |

		Budgets (used / allowed): paid calls 3 / 10 (1 in doubt); cost $0.06 / no limit; retries per signature 2; wall clock per attempt 15m00s
		Steps: 12

		## Warnings

		- gemini_review: inputs changed since this stage ran

		## Failure

		- class: contract_violation
		- signature: feedfacecafebeef
		- stage: codex_review (codex, attempt 2, exit 1)
		- reason: section "Test gaps" is missing
		  section "Minimal fix" is missing

		stderr (first 20 and last 20 lines):

		\`\`\`
		line 1
		line 2
		line 3
		line 4
		line 5
		line 6
		line 7
		line 8
		line 9
		line 10
		line 11
		line 12
		line 13
		line 14
		line 15
		line 16
		line 17
		line 18
		line 19
		line 20
		… left out …
		line 81
		line 82
		line 83
		line 84
		line 85
		line 86
		line 87
		line 88
		line 89
		line 90
		line 91
		line 92
		line 93
		line 94
		line 95
		line 96
		line 97
		line 98
		line 99
		line 100
		\`\`\`
		"
	`);
});

test('needs_human names the command that helps', () => {
	const t = story();
	const events = [
		t.run(cross),
		t.failed(
			'gemini_review',
			{ class: 'auth', reason: 'not logged in', next_action: 'login: run gemini once and sign in, then dispatch retry t1' },
			{ duration_sec: 0.4, num_steps_computed: null, cost_usd: null },
		),
		t.finished({ status: 'needs_human', exit_code: 6 }),
	];
	expect(summary(events, { status: 'needs_human', stderr: 'Please log in\r\n```\n' })).toMatchInlineSnapshot(`
		"---
		task_id: t1
		status: needs_human
		intent: review_cross
		profile: review_cross
		next_action: "login: run gemini once and sign in, then dispatch retry t1"
		verdict: null
		updated: "2026-03-01T12:05:00.000Z"
		---

		**needs_human**: A human is needed: gemini_review failed with auth; 0 of 3 stages passed. Next: run gemini once and sign in, then dispatch retry t1

		| stage                      | status  | attempt | duration | exit | steps | cost | gate | output |
		|----------------------------|---------|---------|----------|------|-------|------|------|--------|
		| gemini_review              | failed  | 1       | 0.4s     | 1    | -     | -    | auth | -      |
		| codex_review               | pending | -       | -        | -    | -     | -    | -    | -      |
		| copilot_review_consolidate | pending | -       | -        | -    | -     | -    | -    | -      |

		Budgets (used / allowed): paid calls 0 / 10; cost $0.00 / no limit; retries per signature 2; wall clock per attempt 15m00s

		## Failure

		- class: auth
		- signature: 0123456789abcdef
		- stage: gemini_review (gemini, attempt 1, exit 1)
		- reason: not logged in

		stderr:

		\`\`\`\`
		Please log in
		\`\`\`
		\`\`\`\`
		"
	`);
});

test('an invalid packet lists its problems, with line and caret', () => {
	const problem = (line: number, message: string, excerpt: string) =>
		({ level: 'error', file: '.tmp/task/t1/manifest.yaml', line, col: 3, message, excerpt }) as const;
	const problems = [
		problem(9, 'unknown key "paid_call_budgett"; did you mean "paid_call_budget"?', '  paid_call_budgett: 3'),
		problem(12, 'expected a number', '\tretry_budget: \x1b[31mmany'),
	];
	expect(summary([], { plan: null, status: 'invalid', problems })).toMatchInlineSnapshot(`
		"---
		task_id: t1
		status: invalid
		intent: null
		profile: null
		next_action: "fix_manifest: correct the problems below, then dispatch run t1"
		verdict: null
		updated: "2026-03-01T12:05:00.000Z"
		---

		**invalid**: The packet is invalid (2 problems); nothing was started or paid for. Next: correct the problems below, then dispatch run t1

		## Problems

		\`\`\`text
		.tmp/task/t1/manifest.yaml:9:3  error  unknown key "paid_call_budgett"; did you mean "paid_call_budget"?
		    9 |   paid_call_budgett: 3
		      |   ^
		.tmp/task/t1/manifest.yaml:12:3  error  expected a number
		    12 |  retry_budget: \\x1b[31mmany
		       |   ^
		\`\`\`
		"
	`);
});

test('a completed implement packet is merged next', () => {
	const t = story();
	const plan = planOf([], { stages: [plannedStage('claude_impl', { access: 'write' })], intent: 'implement', profile: 'implement' });
	const workspace: Workspace = { schema: 1, mode: 'worktree', branch: 'dispatch/t1', base: 'abc', path: '.tmp/worktree/t1' };
	const text = summary([t.run(['claude_impl']), t.passed('claude_impl'), t.finished()], { plan, workspace });
	expect(text).toContain('next_action: "merge: git merge dispatch/t1"\n');
	expect(text).toContain('**completed**: The stage passed. Next: git merge dispatch/t1\n');
	expect(text).toContain('Workspace: branch dispatch/t1 in .tmp/worktree/t1\n');
});

test('a stage that is run again shows nothing of its earlier result', () => {
	const t = story();
	const text = summary([...completed(), t.run(cross, { rerun: cross }), t.reserved('gemini_review', { attempt: 2 })], {
		status: 'in_progress',
	});
	expect(text).toContain('verdict: null\n');
	expect(text).toContain('**in_progress**: Running: gemini_review; 0 of 3 stages passed. Next: dispatch wait t1\n');
	expect(text).toMatch(/\| codex_review {15}\| pending \| 1 {7}\| - {8}\| - {4}\| - {5}\| - {4}\| - {4}\| -/);
});

test('a stage that waits for a limit to end says until when, also when the run was stopped meanwhile', () => {
	const t = story();
	const events = [
		t.run(cross),
		t.reserved('gemini_review'),
		t.failed('gemini_review', { class: 'rate_limit', decision: 'retry', reason: '429' }),
		t.waiting('gemini_review', { class: 'rate_limit', until: '2026-03-01T12:09:00.000Z' }),
	];
	const until = 'waiting until 2026-03-01T12:09:00.000Z (rate_limit)';
	expect(summary(events, { status: 'in_progress' })).toContain(`**in_progress**: gemini_review is ${until}; 0 of 3 stages passed.`);
	expect(summary([...events, t.reserved('codex_review')], { status: 'in_progress' })).toContain(
		`**in_progress**: Running: codex_review; gemini_review is ${until}; 0 of 3`,
	);
	expect(summary(events, { status: 'interrupted' })).toContain(`**interrupted**: Interrupted while gemini_review was ${until}; 0 of 3`);
	const again = [...events, t.reserved('gemini_review', { attempt: 2 })];
	expect(summary(again, { status: 'in_progress' })).toContain('**in_progress**: Running: gemini_review; 0 of 3');
});

test('a run whose owner died names the stage that was running', () => {
	const t = story();
	const text = summary([t.run(cross), t.passed('gemini_review'), t.reserved('codex_review')], { status: 'interrupted' });
	expect(text).toContain('**interrupted**: Interrupted while codex_review was running; 1 of 3 stages passed. Next: dispatch run t1');
});

test('legacy turns are shown only where they are known and differ', () => {
	const steps = (num_steps_computed: number | null, num_turns_reported: number | null) =>
		/^(Steps|Turns).*$/m.exec(summary([story().passed('gemini_review', {}, { num_steps_computed, num_turns_reported })], {}))?.[0];
	expect(steps(5, 3)).toBe('Steps: 5 (legacy turns: 3)');
	expect(steps(5, 5)).toBe('Steps: 5');
	expect(steps(5, null)).toBe('Steps: 5');
	expect(steps(null, 3)).toBe('Turns: 3');
	expect(steps(null, null)).toBeUndefined();
});

test('a reader learns of fallbacks, changed inputs, refused commands and what the plan warned of', () => {
	const t = story();
	const events = [
		t.passed('gemini_review', { handoff: { context_pack_sha256: 'x', refused_commands: ['rm -rf /'] } }),
		t.passed('codex_review', { provider: 'claude' }, { tool: 'claude', fallback_from: 'codex' }),
	];
	const plan = planOf(cross, { warnings: ['cost of codex cannot be known'] });
	expect(summary(events, { plan, changedInputs: ['gemini_review'], warnings: ['model of codex_review changed'] })).toContain(`## Warnings

- codex_review fell back from codex to claude
- gemini_review: inputs changed since this stage ran
- gemini_review proposed a verify command that is not allowed; it did not run: rm -rf /
- model of codex_review changed
- cost of codex cannot be known
`);
});

test('secrets are redacted wherever a servant or a file could have put one', () => {
	const t = story();
	const events = [t.failed('gemini_review', { reason: 'key SECRET', next_action: 'x: SECRET' })];
	const problems = [{ level: 'error', file: 'm', line: 1, col: 1, message: 'SECRET', excerpt: 'SECRET' }] as const;
	const text = summary(events, {
		status: 'failed',
		stderr: `${'x'.repeat(300_000)}\nSECRET`,
		problems,
		warnings: ['SECRET'],
		redact: (raw) => raw.replaceAll('SECRET', '[redacted]'),
	});
	expect(text).not.toContain('SECRET');
	expect(text.match(/\[redacted\]/g)).toHaveLength(7);
});

test('the caret below a redacted line stands where it did, or the line is left out', () => {
	const redact = (raw: string) => raw.replaceAll('SECRET', '[redacted]');
	const problem = (col: number) => ({ level: 'error', file: 'm', line: 1, col, message: 'wrong', excerpt: 'a: SECRET, b: 1' }) as const;
	const shown = (col: number) => summary([], { plan: null, status: 'invalid', problems: [problem(col)], redact });
	expect(shown(15)).toContain('m:1:15  error  wrong\n    1 | a: [redacted], b: 1\n      |                   ^\n');
	expect(shown(1)).toContain('    1 | a: [redacted], b: 1\n      | ^\n');
	expect(shown(6)).toContain('m:1:6  error  wrong\n```');
});

test('of several failures the one that sets the exit code speaks; the others are listed with what to do', () => {
	const t = story();
	const events = [
		t.run(cross),
		t.reserved('gemini_review'),
		t.reserved('codex_review'),
		t.failed('gemini_review', {
			class: 'unknown',
			decision: 'stop',
			reason: 'exit 9',
			next_action: 'read_log: look at dispatch logs t1 gemini_review, then dispatch retry t1',
		}),
		t.failed('codex_review', {
			class: 'auth',
			decision: 'stop',
			reason: 'not logged in',
			next_action: 'login: run codex login, then dispatch run t1',
		}),
		t.finished({ status: 'needs_human', exit_code: 6 }),
	];
	const text = summary(events, { status: 'needs_human' });
	expect(text).toContain('next_action: "login: run codex login, then dispatch run t1"');
	expect(text).toContain('codex_review failed with auth (and 1 other)');
	expect(text).toContain('- class: auth\n');
	expect(text).toContain(
		'## Other failures\n\n- gemini_review (unknown): look at dispatch logs t1 gemini_review, then dispatch retry t1. exit 9\n',
	);
	expect(summary(events, { status: 'interrupted' })).toContain('next_action: "continue: dispatch run t1 continues where it stopped"');
	expect(summary(events, { status: 'needs_human', stderr: 'no key' })).toContain(
		'- reason: not logged in\n\nstderr:\n\n```\nno key\n```\n\n## Other failures\n',
	);
});
