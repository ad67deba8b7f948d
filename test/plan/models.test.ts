import { describe, expect, test } from 'vitest';
import { buildPlan } from '../../src/plan/build-plan.ts';
import type { Given } from './config-of.ts';
import { failuresOf, inputOf, planOf, stageOf } from './config-of.ts';

describe('allowed_models limits manifests and --model', () => {
	test.each<[string, Given, 2 | 3, string, string]>([
		[
			'routing.model of a tool',
			{ manifest: { intent: 'review_only', routing: { model: { gemini: 'gemini-9' } } } },
			3,
			'routing.model.gemini',
			'model "gemini-9" is not allowed for gemini; gemini allows auto, pro, flash',
		],
		[
			'routing.model of a tool the plan does not call',
			{ manifest: { intent: 'review_only', routing: { model: { codex: 'x' } } } },
			3,
			'routing.model.codex',
			'model "x" is not allowed for codex; codex allows gpt-5.3-codex, gpt-5.2-codex, gpt-5-codex',
		],
		[
			"a stage's model",
			{ manifest: { intent: 'review_only', routing: { stages: { gemini_review: { model: 'gpt-5.2-codex' } } } } },
			3,
			'routing.stages.gemini_review.model',
			'provider/model mismatch: model "gpt-5.2-codex" is one of codex, not of gemini; gemini allows auto, pro, flash',
		],
		[
			'model of the manifest, with two stages: one complaint',
			{ manifest: { task_type: 'implement', model: 'flash' } },
			3,
			'model',
			'provider/model mismatch: model "flash" is one of gemini, not of claude; claude allows sonnet, opus',
		],
		[
			'--model that no stage can take',
			{ manifest: { intent: 'review_only' }, flags: { model: 'opus' } },
			2,
			'--model',
			'provider/model mismatch: model "opus" is one of claude, not of gemini; gemini allows auto, pro, flash',
		],
	])('%s', (_name, given, exit, place, message) => {
		const failures = failuresOf(given);
		expect(failures.map((failure) => [failure.exit, failure.at?.join('.') ?? failure.source, failure.message])).toEqual([
			[exit, place, message],
		]);
	});

	test('a model that configuration names is allowed by being named', () => {
		const servants = { gemini: { purpose_models: { verify: 'gemini-next' }, task_types: { plan: { model: 'gemini-typed' } } } };
		const pipelines = { review: { profiles: { review_cross: { stage_models: { gemini_review: 'gemini-staged' } } } } };
		for (const model of ['gemini-next', 'gemini-typed', 'gemini-staged']) {
			const manifest = { intent: 'review_only', routing: { model: { gemini: model } } };
			expect(stageOf({ manifest, user: { servants, pipelines } }).model).toBe(model);
		}
	});

	test.each<[string, Given['user']]>([
		['legacy model', { dispatch: { model: 'next' } }],
		['legacy defaults.model', { dispatch: { defaults: { model: 'next' } } }],
		['a legacy type model', { dispatch: { task_types: { plan: { model: 'next' } } } }],
		['stage_models of a routed stage', { pipelines: { task: { profiles: { review: { stage_models: { review: 'next' } } } } } }],
	])('so is one that it names for no servant in particular: %s', (_name, user) => {
		expect(stageOf({ manifest: { task_type: 'review', model: 'next' }, user }).model).toBe('next');
		const others = { ...user, servants: { gemini: { allowed_models: ['next'] } } };
		expect(failuresOf({ manifest: { task_type: 'review', provider: 'codex', model: 'next' }, user: others })[0]?.message).toBe(
			'provider/model mismatch: model "next" is one of gemini, not of codex; codex allows gpt-5.3-codex, gpt-5.2-codex, gpt-5-codex',
		);
	});

	test('a servant without a list takes any model', () => {
		expect(stageOf({ manifest: { task_type: 'review', provider: 'replay', model: 'anything' } }).model).toBe('anything');
	});

	test('a model of the manifest is for routed stages alone', () => {
		expect(stageOf({ manifest: { intent: 'review_only', model: 'opus' } }).model).toBe('pro');
	});
});

describe('--model on a plan with several tools', () => {
	test('fixed stages that cannot take it are passed over with a warning', () => {
		const plan = planOf({ manifest: { intent: 'review_cross' }, flags: { model: 'gpt-5-codex' } });
		expect(plan.stages.map(({ model }) => model)).toEqual(['pro', 'gpt-5-codex', 'gpt-5-codex']);
		expect(plan.warnings).toEqual(['--model gpt-5-codex is not used for gemini_review: gemini does not allow it']);
	});

	test('a routed stage that cannot take it is an error', () => {
		const user = { pipelines: { mine: { profiles: { mine: { stages: ['review', 'codex_verify'] } } } } };
		const failures = failuresOf({ manifest: { intent: 'mine' }, user, flags: { model: 'gpt-5-codex' } });
		expect(failures.map(({ exit, source }) => [exit, source])).toEqual([[2, '--model']]);
	});

	test('it does not reach a stage that names its own', () => {
		const manifest = { intent: 'review_only', routing: { stages: { gemini_review: { model: 'flash' } } } };
		expect(stageOf({ manifest, flags: { model: 'auto' } }).model).toBe('flash');
	});
});

describe('a run that is forced elsewhere', () => {
	const manifest = { task_type: 'review', model: 'opus' } as const;

	test("passes over the manifest's model where it is not the new servant's, and says so", () => {
		const plan = planOf({ manifest, flags: { force_task_provider: 'codex' } });
		expect(plan).toMatchObject({
			warnings: ['model opus of the manifest is not used for codex_review: not allowed for codex; routing.model.codex would count'],
			stages: [{ model: 'gpt-5.2-codex' }],
		});
		const user = { servants: { plain: {} } };
		expect(planOf({ manifest, user, flags: { force_task_provider: 'plain' } })).toMatchObject({
			warnings: ['model opus of the manifest is not used for plain_review: one of claude, not of plain; routing.model.plain would count'],
			stages: [{ model: null }],
		});
		const legacy = { ...user, dispatch: { model: 'opus', task_types: { review: { model: 'opus' } } } };
		expect(
			planOf({ manifest: { task_type: 'review' }, user: legacy, flags: { force_task_provider: 'plain' } }).stages[0]?.model,
		).toBeNull();
	});

	test('takes it where it is, and where it is forced to what it has', () => {
		expect(stageOf({ manifest: { ...manifest, provider: 'codex', model: 'sonnet' }, flags: { force_task_provider: 'claude' } }).model).toBe(
			'sonnet',
		);
		expect(failuresOf({ manifest: { ...manifest, provider: 'codex' }, flags: { force_task_provider: 'codex' } })).toMatchObject([
			{ exit: 3, at: ['model'] },
		]);
	});

	test('with a model of another servant typed beside it is an error', () => {
		expect(failuresOf({ manifest, flags: { force_task_provider: 'codex', model: 'opus' } })).toMatchObject([
			{ exit: 2, source: '--model' },
		]);
	});
});

describe('a legacy type model of another servant', () => {
	const legacy = { task_types: { review: { model: 'gpt-5.2-codex' } } };
	const problem =
		'task_types.review.model: provider/model mismatch: model "gpt-5.2-codex" is one of codex, not of claude; claude allows sonnet, opus';

	test('is a warning where it loses', () => {
		const plan = planOf({ manifest: { task_type: 'review' }, user: { dispatch: legacy, servants: { claude: { default_model: 'opus' } } } });
		expect(plan.stages[0]?.model).toBe('opus');
		expect(plan.warnings).toEqual([`${problem} (not used in this plan)`]);
	});

	test('is left to the configuration to warn of where that routes the type itself', () => {
		const dispatch = { task_types: { review: { model: 'opus' } }, task_providers: { review: 'codex' } };
		const plan = planOf({ manifest: { task_type: 'review' }, user: { dispatch, servants: { codex: { default_model: 'gpt-5-codex' } } } });
		expect(plan).toMatchObject({ warnings: [], stages: [{ model: 'gpt-5-codex' }] });
	});

	test("is an error where it would be used, the package's default_model notwithstanding", () => {
		expect(failuresOf({ manifest: { task_type: 'review' }, user: { dispatch: legacy } })).toEqual([
			{ exit: 3, message: problem, at: null, source: 'configs: dispatch.task_types.review.model' },
		]);
	});

	test('is one too where the servant has no list of its own, but not of a recording', () => {
		const user = { dispatch: legacy, servants: { plain: {} } };
		expect(failuresOf({ manifest: { task_type: 'review', provider: 'plain' }, user })).toEqual([
			{
				exit: 3,
				message:
					'task_types.review.model: provider/model mismatch: model "gpt-5.2-codex" is one of codex, not of plain; plain has no allowed_models',
				at: null,
				source: 'configs: dispatch.task_types.review.model',
			},
		]);
		const own = { ...user, servants: { plain: { default_model: 'local' } } };
		expect(planOf({ manifest: { task_type: 'review', provider: 'plain' }, user: own }).warnings).toEqual([
			expect.stringContaining('(not used in this plan)'),
		]);
		const unknown = { ...user, dispatch: { task_types: { review: { model: 'local' } } } };
		expect(stageOf({ manifest: { task_type: 'review', provider: 'plain' }, user: unknown }).model).toBe('local');
		expect(planOf({ manifest: { task_type: 'review', provider: 'replay' }, user }).warnings).toEqual([]);
	});

	test('is used where it belongs', () => {
		const plan = planOf({ manifest: { task_type: 'review', provider: 'codex' }, user: { dispatch: legacy } });
		expect(plan).toMatchObject({ warnings: [], stages: [{ model: 'gpt-5.2-codex' }] });
	});
});

describe("a manifest's model that no stage takes, because all have their tool in their name", () => {
	const warnings = (given: Given) => planOf(given).warnings;

	test('is a warning that names the key that would count', () => {
		const why = 'every stage of profile "review_only" has its tool in its name; routing.model.<tool> would count';
		const warning = `model opus of the manifest is not used: ${why}`;
		expect(warnings({ manifest: { intent: 'review_only', model: 'opus' } })).toEqual([warning]);
		expect(warnings({ manifest: { intent: 'review_only', model: 'opus' }, flags: { force_task_provider: 'claude' } })).toEqual([warning]);
	});

	test('is pointed at where it is written, as the provider is', () => {
		const built = buildPlan(inputOf({ manifest: { intent: 'review_only', model: 'opus', provider: 'claude' } }));
		expect(built.ok && built.value.warnings.map(({ at }) => at)).toEqual([['provider'], ['model']]);
	});

	test('is none where the stages have that model anyway, or where one stage takes it', () => {
		expect(warnings({ manifest: { intent: 'review_only', model: 'pro' } })).toEqual([]);
		const user = { pipelines: { mine: { profiles: { mine: { stages: ['review', 'codex_verify'] } } } } };
		expect(warnings({ manifest: { intent: 'mine', model: 'sonnet' }, user })).toEqual([]);
	});
});
