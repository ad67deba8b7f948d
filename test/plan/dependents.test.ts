import { expect, test } from 'vitest';
import type { Plan } from '../../src/contract/plan.ts';
import { neededBy, withDependents, writerBefore } from '../../src/plan/dependents.ts';

/** `needs` by stage; who is called `…_impl` writes. */
const planOf = (needs: Record<string, string[]>): Plan =>
	({
		stages: Object.entries(needs).map(([name, list]) => ({ name, needs: list, access: name.endsWith('_impl') ? 'write' : 'read' })),
	}) as unknown as Plan;

const plan = planOf({
	gemini_brief: [],
	codex_impl: ['gemini_brief'],
	gemini_review: ['codex_impl'],
	claude_impl: [],
	codex_verify: ['codex_impl'],
	copilot_review_consolidate: ['gemini_review', 'codex_verify'],
});

test('who needs a stage is asked of the needs, not of the order', () => {
	expect(withDependents(plan, ['codex_impl'])).toEqual(['codex_impl', 'gemini_review', 'codex_verify', 'copilot_review_consolidate']);
	expect(withDependents(plan, ['claude_impl'])).toEqual(['claude_impl']);
	expect([...neededBy(plan, 'codex_verify')]).toEqual(['codex_impl', 'gemini_brief']);
});

test('work is sent back to the last writing stage that the check needs, and to nobody else', () => {
	expect(writerBefore(plan, 'codex_verify')).toBe('codex_impl');
	expect(writerBefore(plan, 'codex_impl')).toBeNull();
	expect(writerBefore(planOf({ a_impl: [], b_impl: ['a_impl'], c_verify: ['b_impl'] }), 'c_verify')).toBe('b_impl');
});
