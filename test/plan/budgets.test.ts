import { describe, expect, test } from 'vitest';
import { buildPlan } from '../../src/plan/build-plan.ts';
import { failuresOf, inputOf, planOf, stageOf } from './config-of.ts';

test('budgets and policies have defaults', () => {
	expect(planOf({ manifest: { intent: 'review_only' } })).toMatchObject({
		budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 900, max_steps: null, max_cost_usd: null },
		digest_policy: 'auto',
		warnings: [],
	});
});

test.each([
	['task', 'worktree'],
	['implement', 'worktree'],
	['improve', 'worktree'],
	['review', 'inplace'],
	['plan', 'inplace'],
	['explore', 'inplace'],
] as const)('a packet of type %s works %s', (task_type, workspace) => {
	expect(planOf({ manifest: { task_type } }).workspace).toBe(workspace);
	expect(planOf({ manifest: { task_type, workspace: 'inplace' } }).workspace).toBe('inplace');
});

test('a packet with an intent alone works in place', () => {
	expect(planOf({ manifest: { intent: 'safe_impl' } }).workspace).toBe('inplace');
});

describe('scope', () => {
	test.each([{ allow: [] }, { deny: ['x'] }, undefined])('a writing profile with scope %j is an error', (scope) => {
		expect(failuresOf({ manifest: { intent: 'safe_impl', scope } })).toEqual([
			{ exit: 3, message: 'scope.allow is empty, so nothing may be written, but codex_impl writes', at: ['scope', 'allow'], source: null },
		]);
	});

	test.each([[['!src']], [['../other', './..']]])('one whose allow list %j can allow nothing is one too', (allow) => {
		const message = `scope.allow names nothing in the project (${allow.join(', ')}), so nothing may be written, but codex_impl writes`;
		expect(failuresOf({ manifest: { intent: 'safe_impl', scope: { allow } } })).toEqual([
			{ exit: 3, message, at: ['scope', 'allow'], source: null },
		]);
		for (const something of ['src', '!(a|b)', '..a', 'src/../lib', '**'])
			expect(failuresOf({ manifest: { intent: 'safe_impl', scope: { allow: [...allow, something] } } }), something).toEqual([]);
	});

	test('a reading profile needs none', () => {
		expect(failuresOf({ manifest: { intent: 'post_impl_review', scope: {} } })).toEqual([]);
	});
});

describe('warnings before anything is paid', () => {
	test('fewer paid calls than stages; free servants do not count', () => {
		const given = { manifest: { intent: 'review_cross', budgets: { paid_call_budget: 2 } } };
		expect(planOf(given).warnings).toEqual(['paid_call_budget 2 is below the 3 calls that are planned']);
		const single = { manifest: { intent: 'review_only', budgets: { paid_call_budget: 0 } } };
		expect(planOf(single).warnings).toEqual(['paid_call_budget 0 is below the one call that is planned']);
		expect(planOf({ ...given, flags: { force_task_provider: 'replay' } }).warnings).toEqual([]);
	});

	test('a cost that cannot be known', () => {
		const manifest = { intent: 'codex_only', budgets: { max_cost_usd: 1 } };
		expect(planOf({ manifest }).warnings).toEqual([
			'max_cost_usd cannot be held for codex_review: the cost of codex gpt-5.2-codex cannot be known without prices in its servant file',
			'max_cost_usd cannot be held for codex_verify: the cost of codex gpt-5.3-codex cannot be known without prices in its servant file',
		]);
		const prices = { 'gpt-5.2-codex': { input: 1, output: 2 } };
		expect(planOf({ manifest, user: { servants: { codex: { prices } } } }).warnings).toHaveLength(1);
		expect(planOf({ manifest, flags: { force_task_provider: 'claude' } }).warnings).toEqual([]);
	});

	test('the caller knows better which servants report their cost', () => {
		const input = inputOf({ manifest: { intent: 'codex_only', budgets: { max_cost_usd: 1 } } });
		const built = buildPlan({ ...input, reportsCost: (tool) => tool === 'codex' });
		expect(built.ok && built.value.plan.warnings).toEqual([]);
	});
});

test('fallbacks come from the servant, without itself', () => {
	const user = { servants: { gemini: { fallback: ['codex', 'gemini', 'claude', 'codex'] } } };
	expect(stageOf({ manifest: { intent: 'review_only' }, user }).fallback).toEqual(['codex', 'claude']);
});
