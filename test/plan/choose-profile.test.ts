import { describe, expect, test } from 'vitest';
import type { ManifestParts } from './config-of.ts';
import { failuresOf, planOf } from './config-of.ts';

describe('each intent gives exactly its own stages', () => {
	test.each([
		['safe_impl', 'impl', 'gemini_brief codex_impl<gemini_brief codex_verify<codex_impl gemini_review<codex_verify'],
		['one_shot_impl', 'impl', 'gemini_brief copilot_runbook<gemini_brief codex_verify<copilot_runbook'],
		['design_only', 'impl', 'gemini_brief gemini_test_design<gemini_brief gemini_review<gemini_test_design'],
		['review_cross', 'review', 'gemini_review codex_review copilot_review_consolidate<gemini_review,codex_review'],
		[
			'post_impl_review',
			'review',
			'gemini_review gemini_test_design gemini_static_verify codex_review codex_test_impl<gemini_review,gemini_test_design,codex_review codex_verify<gemini_static_verify,codex_test_impl',
		],
		['review_only', 'review', 'gemini_review'],
		['codex_only', 'review', 'codex_review codex_verify<codex_review'],
		['strict_review', 'review', 'gemini_review codex_review copilot_review_consolidate<gemini_review,codex_review'],
		[
			'standard',
			'plan',
			'copilot_draft codex_enrich<copilot_draft gemini_enrich<copilot_draft codex_cross_review<codex_enrich,gemini_enrich gemini_cross_review<codex_enrich,gemini_enrich copilot_consolidate<codex_cross_review,gemini_cross_review',
		],
	])('%s', (intent, group, stages) => {
		const plan = planOf({ manifest: { intent } });
		expect(plan).toMatchObject({ intent, group, profile: intent, task_type: null });
		expect(drawn(plan.stages)).toBe(stages);
	});

	test.each([
		['task', 'claude_impl'],
		['explore', 'claude_explore'],
		['plan', 'claude_plan'],
		['implement', 'claude_impl claude_verify<claude_impl'],
		['review', 'claude_review'],
		['improve', 'claude_improve claude_verify<claude_improve'],
	] as const)('task_type %s alone', (task_type, stages) => {
		const plan = planOf({ manifest: { task_type } });
		expect(plan).toMatchObject({ intent: task_type, group: 'task', profile: task_type, task_type });
		expect(drawn(plan.stages)).toBe(stages);
	});
});

test('with both, the type routes and the intent picks the profile', () => {
	const user = { dispatch: { task_providers: { implement: 'codex' }, provider: 'gemini' } };
	const plan = planOf({ manifest: { intent: 'review', task_type: 'implement' }, user });
	expect(plan).toMatchObject({ intent: 'review', group: 'task', profile: 'review', workspace: 'worktree' });
	expect(plan.stages.map(({ name }) => name)).toEqual(['codex_review']);
});

test('routing.pipeline.profile stands in for the intent within its group', () => {
	const plan = planOf({ manifest: { intent: 'safe_impl', routing: { pipeline: { profile: 'design_only' } } } });
	expect(plan).toMatchObject({ intent: 'safe_impl', group: 'impl', profile: 'design_only' });
});

describe('what cannot be chosen', () => {
	test.each<[string, ManifestParts, readonly string[], string]>([
		['a misspelt intent', { intent: 'safe_imp' }, ['routing', 'intent'], 'unknown intent "safe_imp"; did you mean "safe_impl"?'],
		[
			'a group for an intent',
			{ intent: 'impl' },
			['routing', 'intent'],
			'unknown intent "impl": it is a group, whose default profile is "safe_impl"',
		],
		['neither intent nor type', {}, [], 'routing.intent or task_type is required'],
		['an empty intent counts as absent', { intent: '' }, [], 'routing.intent or task_type is required'],
		[
			'a profile outside the group of the intent',
			{ intent: 'safe_impl', routing: { pipeline: { profile: 'review_only' } } },
			['routing', 'pipeline', 'profile'],
			'profile "review_only" is of group review, but intent "safe_impl" is of group impl, whose profiles are safe_impl, one_shot_impl, design_only',
		],
		[
			'a profile that is nowhere',
			{ intent: 'safe_impl', routing: { pipeline: { profile: 'design_onli' } } },
			['routing', 'pipeline', 'profile'],
			'group impl has no profile "design_onli"; did you mean "design_only"?',
		],
	])('%s', (_name, manifest, at, message) => {
		expect(failuresOf({ manifest })).toEqual([{ exit: 3, message, at, source: null }]);
	});

	test('names that every object has are no profiles, stages or tools', () => {
		expect(failuresOf({ manifest: { intent: 'constructor' } })[0]?.message).toMatch(/^unknown intent "constructor"/);
		const [tool, stage] = failuresOf({
			manifest: { intent: 'review_only', provider: 'constructor', routing: { stages: { toString: { model: 'm' } } } },
		});
		expect(tool?.message).toMatch(/^unknown servant "constructor"/);
		expect(stage?.message).toMatch(/^profile "review_only" has no stage "toString"/);
	});
});

test('of two groups with the same profile name the one the user wrote is meant', () => {
	const user = { pipelines: { mine: { profiles: { standard: { stages: ['codex_review'] } } } } };
	expect(planOf({ manifest: { intent: 'standard' }, user })).toMatchObject({ group: 'mine' });
	const both = { pipelines: { ...user.pipelines, other: { profiles: { standard: { stages: ['codex_review'] } } } } };
	expect(failuresOf({ manifest: { intent: 'standard' }, user: both })[0]?.message).toBe(
		'intent "standard" is a profile of several groups: plan, mine, other; rename all but one',
	);
});

describe('stage names of a profile', () => {
	const named = (stages: string[], needs?: Record<string, string[]>) => ({
		manifest: { intent: 'mine' },
		user: { pipelines: { mine: { profiles: { mine: { stages, ...(needs && { needs }) } } } } },
	});

	test('a role, a tool with a role, and numbers behind either', () => {
		const plan = planOf(named(['static_verify', 'codex_static_verify', 'codex_review', 'codex_review-2', 'review-2', 'review-13']));
		expect(plan.stages.map(({ name, written, role }) => [written, name, role])).toEqual([
			['static_verify', 'claude_static_verify', 'static_verify'],
			['codex_static_verify', 'codex_static_verify', 'static_verify'],
			['codex_review', 'codex_review', 'review'],
			['codex_review-2', 'codex_review-2', 'review'],
			['review-2', 'claude_review-2', 'review'],
			['review-13', 'claude_review-13', 'review'],
		]);
	});

	test.each([
		['reviw', 'unknown role "reviw"; did you mean "review"?'],
		['codex_reviw', 'stage "codex_reviw" has an unknown role "reviw"; did you mean "review"?'],
		['codx_review', 'stage "codx_review" names an unknown servant "codx"; did you mean "codex"?'],
		['review-1', 'unknown role "review-1"; did you mean "review"?'],
	])('%s is refused', (stage, problem) => {
		const [failure] = failuresOf(named(['gemini_review', stage]));
		expect(failure).toEqual({
			exit: 3,
			message: `profile "mine" of group mine: ${problem}`,
			at: null,
			source: 'configs: pipelines.mine.profiles.mine.stages.1',
		});
	});

	test('a stage listed twice is told how to be written', () => {
		expect(failuresOf(named(['codex_review', 'codex_review']))[0]?.message).toContain('write the later one "codex_review-2"');
	});

	test('needs of unknown stages and circles are refused', () => {
		const stages = ['gemini_review', 'codex_review'];
		expect(failuresOf(named(stages, { codex_review: ['gemini_revie'] }))[0]?.message).toBe(
			'profile "mine" of group mine: "codex_review" needs "gemini_revie", which is no stage of it; did you mean "gemini_review"?',
		);
		expect(failuresOf(named(stages, { codex_review: ['gemini_review'], gemini_review: ['codex_review'] }))[0]?.message).toBe(
			'profile "mine" of group mine: stages wait for each other in a circle: codex_review → gemini_review → codex_review',
		);
	});
});

test('a servant that is only a file is as good as any', () => {
	const user = { servants: { aider: { command: 'aider' } }, pipelines: { review: { profiles: { mine: { stages: ['aider_review'] } } } } };
	expect(planOf({ manifest: { intent: 'mine' }, user }).stages[0]).toMatchObject({ tool: 'aider', model: null });
});

test('all problems are reported at once', () => {
	const failures = failuresOf({
		manifest: {
			intent: 'safe_impl',
			provider: 'codx',
			scope: { allow: [] },
			routing: {
				model: { gemini: 'gpt-5-codex', aider: 'x' },
				stages: { codex_impls: { model: 'm' } },
				pipeline: { flags: { enable_x: true }, options: { fix_rounds: 9 } },
			},
		},
		flags: { provider: 'nobody', model: 'no-model' },
		env: { DISPATCH_PROVIDER: 'none' },
	});
	expect(failures.map(({ exit, at, source }) => `${exit} ${at?.join('.') ?? source}`).sort()).toEqual([
		'2 --model',
		'2 --model',
		'2 --provider',
		'3 DISPATCH_PROVIDER',
		'3 provider',
		'3 routing.model.aider',
		'3 routing.model.gemini',
		'3 routing.pipeline.flags.enable_x',
		'3 routing.pipeline.options.fix_rounds',
		'3 routing.stages.codex_impls',
		'3 scope.allow',
	]);
});

function drawn(stages: readonly { readonly name: string; readonly needs: readonly string[] }[]): string {
	return stages.map(({ name, needs }) => (needs.length > 0 ? `${name}<${needs.join(',')}` : name)).join(' ');
}
