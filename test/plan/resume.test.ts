import { describe, expect, test } from 'vitest';
import { keepDone, planChanges } from '../../src/plan/diff-plans.ts';
import { resolveStageFor } from '../../src/plan/resolve-again.ts';
import type { Given } from './config-of.ts';
import { inputOf, planOf, stageOf } from './config-of.ts';

describe('a stage on its fallback', () => {
	const fallBack = (given: Given, tool: string) => resolveStageFor(tool, inputOf(given), stageOf(given));

	test("keeps its name, its needs and its limits and takes the new tool's model and effort", () => {
		const user = {
			servants: { gemini: { fallback: ['codex', 'claude'] } },
			pipelines: { review: { profiles: { review_only: { stage_models: { gemini_review: 'flash' } } } } },
		};
		const manifest = { intent: 'review_only', routing: { stages: { gemini_review: { model: 'pro', effort: 'low', max_steps: 9 } } } };
		expect(fallBack({ manifest, user }, 'codex')).toMatchObject({
			name: 'gemini_review',
			written: 'gemini_review',
			tool: 'codex',
			model: 'gpt-5.2-codex',
			effort: 'medium',
			max_steps: 9,
			needs: [],
			fallback: ['claude'],
			sources: { tool: 'fallback of gemini (configs: servants.gemini.fallback)', model: 'package default' },
		});
	});

	test('passes over models that the new tool does not allow', () => {
		const given: Given = { manifest: { task_type: 'review', model: 'opus' }, flags: { model: 'sonnet' } };
		expect(fallBack(given, 'codex').model).toBe('gpt-5.2-codex');
		const plain = { servants: { plain: {} } };
		expect(fallBack({ ...given, user: plain }, 'plain').model).toBeNull();
		const named = { task_type: 'review', model: 'opus', routing: { model: { plain: 'opus' } } } as const;
		expect(fallBack({ manifest: named, user: plain }, 'plain').model).toBe('opus');
		for (const dispatch of [{ model: 'opus' }, { defaults: { model: 'opus' } }]) {
			expect(fallBack({ manifest: { task_type: 'review' }, user: { ...plain, dispatch } }, 'plain').model).toBeNull();
		}
		expect(fallBack({ manifest: { task_type: 'review' }, user: plain, env: { DISPATCH_MODEL: 'opus' } }, 'plain').model).toBeNull();
		const legacy = { dispatch: { task_types: { review: { model: 'opus' } } } };
		expect(fallBack({ manifest: { task_type: 'review' }, user: legacy }, 'codex').model).toBe('gpt-5.2-codex');
		expect(fallBack({ manifest: { task_type: 'review', routing: { model: { codex: 'gpt-5-codex' } } } }, 'codex').model).toBe(
			'gpt-5-codex',
		);
	});
});

describe('configuration that changed between two runs', () => {
	const manifest = { intent: 'review_cross' };
	const before = planOf({ manifest });
	const after = planOf({ manifest, user: { servants: { codex: { default_model: 'gpt-5-codex', max_steps: 9 } } } });

	test('is reported for stages not yet done', () => {
		expect(planChanges(before, after, ['gemini_review'])).toEqual([
			'codex_review: model gpt-5.2-codex → gpt-5-codex (configs: servants.codex.default_model)',
			'codex_review: max_steps 50 → 9 (configs: servants.codex.max_steps)',
		]);
		expect(planChanges(before, after, ['codex_review'])).toEqual([]);
	});

	test('does not touch the entries of stages that are done', () => {
		const kept = keepDone(before, after, ['codex_review']);
		expect(kept.stages.map(({ model }) => model)).toEqual(['pro', 'gpt-5.2-codex', 'claude-sonnet-4.6']);
		expect(keepDone(before, after, []).stages).toEqual(after.stages);
	});

	test('that gives a routed stage another tool is seen as the same stage', () => {
		const of = (provider: string) => planOf({ manifest: { task_type: 'implement' }, user: { dispatch: { provider } } });
		const kept = keepDone(of('claude'), of('codex'), ['claude_impl']);
		expect(kept.stages.map(({ name, tool, needs }) => [name, tool, needs])).toEqual([
			['claude_impl', 'claude', []],
			['codex_verify', 'codex', ['claude_impl']],
		]);
		expect(planChanges(of('claude'), of('codex'), ['claude_impl'])[0]).toBe(
			'claude_verify: tool claude → codex (configs: dispatch.provider)',
		);
	});

	test('leaves the names of finished stages alone: the others keep out of their way, and needs follow them', () => {
		const of = (tool: string) => planOf({ manifest, flags: { force_task_provider: tool } });
		const kept = keepDone(of('codex'), of('claude'), ['codex_review-2']);
		expect(kept.stages.map(({ name, tool, needs }) => [name, tool, needs])).toEqual([
			['claude_review', 'claude', []],
			['codex_review-2', 'codex', []],
			['claude_review_consolidate', 'claude', ['claude_review', 'codex_review-2']],
		]);
		expect(keepDone(of('codex'), planOf({ manifest }), ['codex_review']).stages.map(({ name }) => name)).toEqual([
			'codex_review',
			'codex_review-2',
			'copilot_review_consolidate',
		]);
	});

	test('lets a stage with an open attempt keep its name, so that the attempt is found, and resolves the rest of it anew', () => {
		const of = (provider: string) => planOf({ manifest: { task_type: 'review' }, user: { dispatch: { provider } } });
		expect(keepDone(of('claude'), of('codex'), [], ['claude_review']).stages).toMatchObject([
			{ name: 'claude_review', tool: 'codex', model: 'gpt-5.2-codex' },
		]);
	});

	test('that adds or drops stages says so', () => {
		const other = planOf({ manifest: { intent: 'codex_only' } });
		expect(planChanges(before, other, [])).toEqual([
			'codex_verify: not in the plan before',
			'gemini_review: no longer in the plan',
			'copilot_review_consolidate: no longer in the plan',
		]);
	});
});
