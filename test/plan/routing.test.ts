import { describe, expect, test } from 'vitest';
import { planChanges } from '../../src/plan/diff-plans.ts';
import type { Given, ManifestParts } from './config-of.ts';
import { failuresOf, planOf, stageOf } from './config-of.ts';

const mixed = { dispatch: { provider: 'claude', task_providers: { implement: 'claude', improve: 'claude', review: 'codex' } } };
const names = (given: Given) => planOf(given).stages.map(({ name }) => name);

describe('scenarios of provider integration', () => {
	test('default provider', () => {
		expect(stageOf({ manifest: { task_type: 'review' } })).toMatchObject({ tool: 'claude', name: 'claude_review' });
	});

	test('CLI flag override', () => {
		const flags = { provider: 'codex' };
		expect(names({ manifest: { task_type: 'implement' }, flags })).toEqual(['codex_impl', 'codex_verify']);
		expect(names({ manifest: { task_type: 'implement', provider: 'gemini' }, flags })).toEqual(['gemini_impl', 'gemini_verify']);
		expect(names({ manifest: { intent: 'review_only' }, flags })).toEqual(['gemini_review']);
	});

	test('force flag override', () => {
		const flags = { force_task_provider: 'codex', provider: 'gemini' };
		expect(names({ manifest: { task_type: 'review', provider: 'gemini' }, flags })).toEqual(['codex_review']);
		expect(names({ manifest: { intent: 'safe_impl' }, flags })).toEqual(['codex_brief', 'codex_impl', 'codex_verify', 'codex_review']);
	});

	test('per-unit frontmatter', () => {
		expect(stageOf({ manifest: { task_type: 'review', provider: 'codex' } }).tool).toBe('codex');
		expect(stageOf({ manifest: { task_type: 'review' } }).tool).toBe('claude');
	});

	test('mixed providers', () => {
		const tools = (['implement', 'review', 'explore'] as const).map((task_type) => stageOf({ manifest: { task_type }, user: mixed }).tool);
		expect(tools).toEqual(['claude', 'codex', 'claude']);
	});

	test('invalid provider', () => {
		const message = 'unknown servant "invalid"; known: claude, codex, gemini, copilot, replay';
		// Also where no stage would ask for it.
		for (const manifest of [{ task_type: 'review' as const }, { intent: 'review_only' }]) {
			expect(failuresOf({ manifest, flags: { provider: 'invalid' } })).toEqual([{ exit: 2, message, at: null, source: '--provider' }]);
		}
	});

	test('force takes precedence', () => {
		const manifest: ManifestParts = { task_type: 'review', provider: 'claude' };
		expect(stageOf({ manifest, flags: { force_task_provider: 'codex' } }).sources.tool).toBe('--force-task-provider');
	});

	test('frontmatter overrides default', () => {
		const user = { dispatch: { provider: 'claude' } };
		expect(stageOf({ manifest: { task_type: 'review', provider: 'codex' }, user }).tool).toBe('codex');
	});

	test('defaults to claude when empty', () => {
		expect(stageOf({ manifest: { task_type: 'review' }, user: { dispatch: { provider: '' } } }).tool).toBe('claude');
	});

	test('resolves the provider per unit', () => {
		expect(stageOf({ manifest: { task_id: 'unit1', task_type: 'task' } }).tool).toBe('claude');
		expect(stageOf({ manifest: { task_id: 'unit2', task_type: 'task', provider: 'codex' } }).tool).toBe('codex');
	});
});

describe('test plan of task provider routing', () => {
	test('handles missing task_providers as no-op', () => {
		expect(stageOf({ manifest: { task_type: 'review' }, user: { dispatch: { provider: 'gemini' } } }).tool).toBe('gemini');
	});

	test('rejects unknown providers', () => {
		expect(failuresOf({ manifest: { task_type: 'review' }, user: { dispatch: { task_providers: { review: 'codx' } } } })).toEqual([
			{
				exit: 3,
				message: 'unknown servant "codx"; did you mean "codex"?',
				at: null,
				source: 'configs: dispatch.task_providers.review',
			},
		]);
	});

	test('task.provider overrides task_providers', () => {
		expect(stageOf({ manifest: { task_type: 'review', provider: 'gemini' }, user: mixed }).tool).toBe('gemini');
	});

	test('task_providers overrides global provider', () => {
		expect(stageOf({ manifest: { task_type: 'review' }, user: mixed }).tool).toBe('codex');
	});

	test('model selection uses effective provider from task_providers', () => {
		const servants = { codex: { task_types: { review: { model: 'o4-mini' } } }, claude: { task_types: { review: { model: 'opus' } } } };
		expect(stageOf({ manifest: { task_type: 'review' }, user: { ...mixed, servants } }).model).toBe('o4-mini');
	});

	test('max-steps selection uses effective provider from task_providers', () => {
		const servants = { codex: { task_types: { review: { max_steps: 7 } } }, claude: { task_types: { review: { max_steps: 9 } } } };
		expect(stageOf({ manifest: { task_type: 'review' }, user: { ...mixed, servants } }).max_steps).toBe(7);
	});

	test('implement task runs with routed provider', () => {
		const user = { dispatch: { task_providers: { implement: 'codex' as const } } };
		expect(names({ manifest: { task_type: 'implement' }, user })).toEqual(['codex_impl', 'codex_verify']);
	});

	test('a created review runs with task_providers.review', () => {
		expect(stageOf({ manifest: { task_id: 't1-review', task_type: 'review', based_on: 't1' }, user: mixed }).tool).toBe('codex');
	});

	test('retry and resume preserve explicit task overrides', () => {
		const manifest: ManifestParts = { task_type: 'review', provider: 'codex', model: 'gpt-5-codex' };
		const first = planOf({ manifest });
		const user = { dispatch: { task_providers: { review: 'gemini' } }, servants: { codex: { default_model: 'gpt-5.2-codex' } } };
		expect(planChanges(first, planOf({ manifest, user }), [])).toEqual([]);
	});
});

describe('test plan of max steps', () => {
	const steps = (dispatch: object) => stageOf({ manifest: { task_type: 'review' }, user: { dispatch } }).max_steps;

	test('max_steps parsing and precedence over max_turns', () => {
		expect(steps({ max_steps: 30, max_turns: 20 })).toBe(30);
		expect(steps({ max_turns: 20 })).toBe(20);
		expect(steps({ defaults: { max_steps: 31 }, max_turns: 20 })).toBe(31);
		expect(steps({})).toBe(50);
	});

	test('task-type max_steps precedence', () => {
		expect(steps({ max_steps: 30, task_types: { review: { max_steps: 8, max_turns: 9 } } })).toBe(8);
		// Of the two orders in the seeds the interleaved one stands.
		expect(steps({ max_steps: 30, task_types: { review: { max_turns: 9 } } })).toBe(9);
	});
});

describe('a wrong servant is an error at the start', () => {
	test.each<[string, Given, 2 | 3, string]>([
		['--force-task-provider', { flags: { force_task_provider: 'x' } }, 2, '--force-task-provider'],
		['DISPATCH_PROVIDER', { env: { DISPATCH_PROVIDER: 'x' } }, 3, 'DISPATCH_PROVIDER'],
		['the manifest', { manifest: { intent: 'review_only', provider: 'x' } }, 3, 'provider'],
		[
			"a stage's override",
			{ manifest: { intent: 'review_only', routing: { stages: { gemini_review: { provider: 'x' } } } } },
			3,
			'routing.stages.gemini_review.provider',
		],
		['dispatch.yaml', { user: { dispatch: { provider: 'x' } } }, 3, 'configs: dispatch.provider'],
		['a fallback', { user: { servants: { gemini: { fallback: ['x'] } } } }, 3, 'configs: servants.gemini.fallback'],
	])('%s', (_name, given, exit, place) => {
		const failures = failuresOf({ manifest: { intent: 'review_only' }, ...given });
		expect(failures.map((failure) => [failure.exit, failure.at?.join('.') ?? failure.source])).toEqual([[exit, place]]);
		expect(failures[0]?.message).toContain('unknown servant "x"');
	});
});

describe('re-routing', () => {
	test('stages that collide are numbered, the later ones, and needs follow', () => {
		const plan = planOf({ manifest: { intent: 'standard' }, flags: { force_task_provider: 'codex' } });
		expect(plan.stages.map(({ written, name, needs }) => [written, name, needs])).toEqual([
			['copilot_draft', 'codex_draft', []],
			['codex_enrich', 'codex_enrich', ['codex_draft']],
			['gemini_enrich', 'codex_enrich-2', ['codex_draft']],
			['codex_cross_review', 'codex_cross_review', ['codex_enrich', 'codex_enrich-2']],
			['gemini_cross_review', 'codex_cross_review-2', ['codex_enrich', 'codex_enrich-2']],
			['copilot_consolidate', 'codex_consolidate', ['codex_cross_review', 'codex_cross_review-2']],
		]);
	});

	test('a routed stage that meets a fixed one, and a number already written', () => {
		const stages = ['review', 'codex_review', 'codex_review-2', 'gemini_review'];
		const user = { pipelines: { mine: { profiles: { mine: { stages } } } } };
		const found = names({ manifest: { intent: 'mine', provider: 'codex' }, user, flags: { force_task_provider: 'codex' } });
		expect(found).toEqual(['codex_review', 'codex_review-2', 'codex_review-3', 'codex_review-4']);
	});

	const profile = {
		stage_models: { gemini_review: 'flash', review: 'opus' },
		stage_efforts: { gemini_review: 'low', review: 'low' },
		stage_max_steps: { gemini_review: 4, review: 4 },
	};
	const user = { pipelines: { review: { profiles: { review_only: profile } }, task: { profiles: { review: profile } } } };

	test("model and effort are the new tool's, without the stage's own entries; limits stay", () => {
		const stages = { gemini_review: { model: 'pro', effort: 'low', timeout_sec: 60 } };
		const forced = { manifest: { intent: 'review_only', routing: { stages } }, user, flags: { force_task_provider: 'codex' } };
		expect(stageOf(forced)).toMatchObject({
			name: 'codex_review',
			model: 'gpt-5.2-codex',
			effort: 'medium',
			max_steps: 4,
			timeout_sec: 60,
		});
		expect(planOf(forced).warnings).toEqual([
			'routing.stages.gemini_review: model and effort not used, because the stage is re-routed to codex; routing.model.codex would count',
		]);
	});

	test('forcing the tool it has anyway changes nothing', () => {
		const forced = (force_task_provider: string) => stageOf({ manifest: { task_type: 'review' }, user, flags: { force_task_provider } });
		expect(forced('claude')).toMatchObject({ model: 'opus', effort: 'low' });
		expect(forced('codex')).toMatchObject({ model: 'gpt-5.2-codex', effort: 'medium' });
	});

	test('a provider in routing.stages re-routes a fixed stage', () => {
		const stages = { gemini_review: { provider: 'codex' } };
		expect(stageOf({ manifest: { intent: 'review_only', routing: { stages } }, user })).toMatchObject({
			name: 'codex_review',
			tool: 'codex',
			model: 'gpt-5.2-codex',
			effort: 'medium',
		});
	});

	test('a stage keeps the model and effort written beside its provider, fixed or not', () => {
		const stages = { codex_impl: { provider: 'gemini', model: 'flash', effort: 'high' } };
		const given = { manifest: { intent: 'safe_impl', routing: { stages } } };
		expect(stageOf(given, 'gemini_impl')).toMatchObject({ tool: 'gemini', model: 'flash', effort: 'high' });
		expect(planOf(given).warnings).toEqual([
			'effort "high" has no effect: gemini takes none (gemini_impl, manifest: routing.stages.codex_impl.effort)',
		]);
	});

	test("they do not follow it to a tool it is forced to, not even to the one in the stage's name", () => {
		const stages = { codex_impl: { provider: 'gemini', model: 'flash', effort: 'xhigh' } };
		const forced = { manifest: { intent: 'safe_impl', routing: { stages } }, flags: { force_task_provider: 'codex' } };
		expect(stageOf(forced, 'codex_impl')).toMatchObject({ model: 'gpt-5.3-codex', effort: 'high' });
		expect(planOf(forced).warnings).toEqual([
			'routing.stages.codex_impl: model and effort not used, because the stage is re-routed to codex; routing.model.codex would count',
		]);
	});

	test("the profile's entries stay with the tool in the stage's name", () => {
		const stages = { gemini_review: { provider: 'codex', effort: 'xhigh' } };
		expect(stageOf({ manifest: { intent: 'review_only', routing: { stages } }, user })).toMatchObject({
			model: 'gpt-5.2-codex',
			effort: 'xhigh',
		});
	});

	test('an effort alone that is not used has nothing that would count instead', () => {
		const stages = { gemini_review: { effort: 'low' } };
		const forced = { manifest: { intent: 'review_only', routing: { stages } }, flags: { force_task_provider: 'codex' } };
		expect(planOf(forced).warnings).toEqual(['routing.stages.gemini_review: effort not used, because the stage is re-routed to codex']);
	});

	test('a routed stage keeps the model written beside its provider', () => {
		const stages = { review: { provider: 'codex', model: 'gpt-5-codex', effort: 'xhigh' } };
		expect(stageOf({ manifest: { task_type: 'review', routing: { stages } } })).toMatchObject({ model: 'gpt-5-codex', effort: 'xhigh' });
	});
});

describe('a provider that no stage takes', () => {
	const warnings = (given: Given) => planOf(given).warnings;
	const why = 'every stage of profile "review_only" has its tool in its name; --force-task-provider claude would move them';

	test('is a warning, whoever names it', () => {
		const manifest = { intent: 'review_only' };
		expect(warnings({ manifest, flags: { provider: 'claude' } })).toEqual([`--provider claude is not used: ${why}`]);
		expect(warnings({ manifest: { ...manifest, provider: 'claude' } })).toEqual([`provider claude of the manifest is not used: ${why}`]);
	});

	test('is none where it says what is so anyway, where all is forced, or where one stage takes it', () => {
		expect(warnings({ manifest: { intent: 'review_only', provider: 'gemini' } })).toEqual([]);
		expect(warnings({ manifest: { intent: 'review_only' }, flags: { provider: 'claude', force_task_provider: 'codex' } })).toEqual([]);
		const user = { pipelines: { mine: { profiles: { mine: { stages: ['review', 'codex_verify'] } } } } };
		expect(warnings({ manifest: { intent: 'mine' }, user, flags: { provider: 'claude' } })).toEqual([]);
	});
});

describe('keys of routing.stages', () => {
	const withKey = (key: string, override: object, flags = {}): Given => ({
		manifest: { task_type: 'review', routing: { stages: { [key]: override } } },
		flags,
	});

	test('the name in the plan is understood too, also when the run is forced elsewhere', () => {
		expect(stageOf(withKey('claude_review', { max_steps: 3 })).max_steps).toBe(3);
		expect(stageOf(withKey('claude_review', { max_steps: 3 }, { force_task_provider: 'codex' })).max_steps).toBe(3);
	});

	test('but a provider belongs under the written name', () => {
		expect(failuresOf(withKey('claude_review', { provider: 'codex' }))[0]?.message).toBe(
			'the provider of this stage is set under its name in the profile, "review"',
		);
	});

	test('a name that is no stage is an error', () => {
		expect(failuresOf(withKey('reviw', { max_steps: 3 }))).toEqual([
			{
				exit: 3,
				message: 'profile "review" has no stage "reviw"; did you mean "review"?',
				at: ['routing', 'stages', 'reviw'],
				what: 'key',
				source: null,
			},
		]);
	});

	test('after a collision a name means the stage that is written so', () => {
		const stages = { codex_review: { max_steps: 3 } };
		const plan = planOf({ manifest: { intent: 'review_cross', routing: { stages } }, flags: { force_task_provider: 'codex' } });
		expect(plan.stages.map(({ name, max_steps }) => [name, max_steps])).toEqual([
			['codex_review', 50],
			['codex_review-2', 3],
			['codex_review_consolidate', 50],
		]);
	});
});
