import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/contract/exit-code.ts';
import { FailureClass } from '../../src/contract/stage-failure.ts';
import { reasonOf } from '../../src/triage/describe.ts';
import { nextAction } from '../../src/triage/next-action.ts';
import { statusOf } from '../../src/triage/outcome-of.ts';
import { everyFailure } from './every-failure.ts';

const care = { install: 'npm i -g @openai/codex', login: 'codex login' };
const situation = { stage: 'codex_impl', tool: 'codex', taskId: 't1', hasSession: false, care, canTighten: true, paidCallBudget: 10 };

test('every class: reason, exit code, status and what to do', () => {
	const table = FailureClass.options.map((kind) =>
		[kind, exitCodeOf(kind), statusOf(kind), reasonOf(everyFailure[kind]), nextAction({ ...situation, failure: everyFailure[kind] })].join(
			' | ',
		),
	);
	expect(table).toEqual([
		'rate_limit | 1 | failed | slow down | retry_later: try again later with dispatch retry t1, or wait with dispatch run t1 --wait',
		'provider_unavailable | 1 | failed | overloaded | retry_later: try again later with dispatch retry t1, or wait with dispatch run t1 --wait',
		'network | 1 | failed | connection reset | retry_later: try again later with dispatch retry t1, or wait with dispatch run t1 --wait',
		'quota | 6 | needs_human | credit used up | quota: raise the quota of codex or choose another servant, then dispatch run t1',
		'auth | 6 | needs_human | bad key | login: run codex login, then dispatch run t1',
		'tool_missing | 6 | needs_human | the program "codex" was not found | install: run npm i -g @openai/codex, then dispatch run t1',
		'config_error | 6 | needs_human | no such model | fix_config: check the model and settings of codex with dispatch plan t1 --explain codex_impl, then dispatch run t1',
		'prompt_too_large | 1 | failed | prompt is too long | shrink_input: shorten what is in inputs/ or set context.digest_policy: aggressive, then dispatch run t1',
		'contract_violation | 1 | failed | missing section "A"; missing section "B" | retry: look at dispatch logs t1 codex_impl, then dispatch retry t1',
		'empty_output | 1 | failed | empty | retry: look at dispatch logs t1 codex_impl, then dispatch retry t1',
		'no_change | 1 | failed | the work tree is unchanged and the answer holds no diff | retry: look at dispatch logs t1 codex_impl, then dispatch retry t1',
		'timeout | 1 | failed | ended after 900 s, the wall-clock limit | raise_limit: raise budgets.max_wallclock_sec in manifest.yaml, then dispatch retry t1',
		'max_steps | 1 | failed | MAX_STEPS: 51 steps, budget 50 | raise_limit: raise budgets.max_steps in manifest.yaml, then dispatch retry t1',
		'output_limit | 1 | failed | more than 2048 MB of output | raise_limit: raise wrapper_defaults.max_output_mb in configs/servant/codex.yaml, then dispatch retry t1',
		'acceptance_failed | 1 | failed | npm test: exit 1 | fix: read outputs/codex_impl.artifact.md, fix what failed, then dispatch retry t1',
		'scope_violation | 1 | failed | changed outside the scope: a, b | check_scope: look at git status, put back or allow the paths in scope.allow, then dispatch retry t1',
		'review_failed | 1 | failed | 2 HIGH findings in the review | fix_findings: read outputs/codex_impl.codex.out, fix the HIGH findings, then dispatch run t1 --fresh',
		'killed | 1 | failed | ended by SIGKILL | retry: dispatch retry t1',
		'unknown | 1 | failed | exit 3 | read_log: look at dispatch logs t1 codex_impl, then dispatch retry t1',
		'forbidden_input | 3 | failed | .env | remove_input: take the forbidden input out of the packet or of security.forbidden_paths, then dispatch run t1',
		'budget_exhausted | 4 | failed | 10 of 10 calls used | raise_budget: dispatch budget t1 --paid-calls 20, then dispatch run t1',
		'interrupted | 130 | interrupted | the run was interrupted | continue: dispatch run t1 continues where it stopped',
		'internal | 70 | failed | TypeError | report_bug: report the stack in dispatch logs t1 codex_impl with the output of dispatch --version, then dispatch run t1',
	]);
});

test.each(['timeout', 'max_steps', 'output_limit', 'killed'] as const)('%s with a session is resumed', (kind) => {
	expect(nextAction({ ...situation, failure: everyFailure[kind], hasSession: true })).toBe('resume: dispatch resume t1');
});

test('what is known is named: a reset, a cost budget, a servant of one’s own', () => {
	const action = (failure: Parameters<typeof reasonOf>[0], over = {}) => nextAction({ ...situation, failure, ...over });
	const quota = { class: 'quota', reason: 'limit', resetAt: '2026-11-18T12:00:00Z' } as const;
	expect(reasonOf(quota)).toBe('limit (resets at 2026-11-18T12:00:00Z)');
	expect(action(quota)).toBe('quota: codex resets at 2026-11-18T12:00:00Z; run dispatch run t1 after that, or dispatch run t1 --wait now');
	const cost = { class: 'budget_exhausted', reason: 'x', budget: 'cost' } as const;
	expect(action({ ...cost, spentUsd: 0.6 }, { maxCostUsd: 0.5 })).toBe(
		'raise_budget: dispatch budget t1 --max-cost 2, then dispatch run t1',
	);
	expect(action(cost, { maxCostUsd: 0.1 })).toContain('dispatch budget t1 --max-cost 1,');
	expect(action(everyFailure.auth, { care: null, tool: 'mine' })).toBe(
		'login: log in to mine, or name the variable that holds its key under env in configs/servant/mine.yaml, then dispatch run t1',
	);
	const stageKey = { timeout: 'routing.stages.impl.timeout_sec', maxSteps: null };
	expect(action(everyFailure.timeout, { stageKey })).toContain('raise routing.stages.impl.timeout_sec in manifest.yaml');
	expect(action(everyFailure.max_steps, { stageKey })).toContain('raise budgets.max_steps in manifest.yaml');
});

test('a program that is missing: what is run, made executable, or put where its servant file says', () => {
	const action = (failure: object, over = {}) =>
		nextAction({ ...situation, failure: { class: 'tool_missing', command: 'codex', ...failure }, ...over });
	expect(action({}, { care: null, tool: 'mine' })).toBe(
		'install: put codex on PATH or set command in configs/servant/mine.yaml, then dispatch run t1',
	);
	expect(action({ class: 'tool_missing', command: '/opt/x' }, { care: { install: null, login: null }, tool: 'mine' })).toBe(
		'install: put a program at /opt/x or set command in configs/servant/mine.yaml, then dispatch run t1',
	);
	const blocked = { class: 'tool_missing', command: 'codex', blocked: '/opt/my tools/codex' } as const;
	expect(reasonOf(blocked)).toBe('the program "/opt/my tools/codex" may not be executed');
	expect(action(blocked)).toBe("install: run chmod +x '/opt/my tools/codex', then dispatch run t1");
});

test('of several missing programs all are named, with what installs them', () => {
	const failure = { ...everyFailure.tool_missing, also: [{ command: 'gemini', install: 'run npm i -g gemini' }] };
	expect(reasonOf(failure)).toBe('the program "codex" was not found, nor "gemini"');
	expect(nextAction({ ...situation, failure })).toBe('install: run npm i -g @openai/codex; run npm i -g gemini, then dispatch run t1');
});

test('an aggressive digest that was not enough is not advised again', () => {
	const failure = everyFailure.prompt_too_large;
	expect(nextAction({ ...situation, failure })).toContain('or set context.digest_policy: aggressive');
	expect(nextAction({ ...situation, failure, canTighten: false })).toBe(
		'shrink_input: shorten what is in inputs/ (the aggressive digest is not enough), then dispatch run t1',
	);
});

test('many paths are counted, and a reason is one line', () => {
	const paths = Array.from({ length: 12 }, (_, index) => `p${index}`);
	expect(reasonOf({ class: 'scope_violation', paths, access: 'read' })).toBe(
		'a reading stage changed p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and 2 more',
	);
	expect(reasonOf({ class: 'unknown', reason: ' a\n  b\n' })).toBe('a b');
});

test('a reading stage that changed something is not advised to widen the scope, which allows readers nothing', () => {
	const failure = { class: 'scope_violation', paths: ['a'], access: 'read' } as const;
	expect(nextAction({ ...situation, failure, workspace: '.tmp/worktree/t1' })).toBe(
		'check_scope: look at git status in .tmp/worktree/t1, put back what should not stay (a reading stage may change nothing), then dispatch retry t1',
	);
});
