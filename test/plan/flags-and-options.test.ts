import { describe, expect, test } from 'vitest';
import { failuresOf, planOf } from './config-of.ts';

const stagesWith = (intent: string, flags: Record<string, boolean>) =>
	planOf({ manifest: { intent, routing: { pipeline: { flags } } } }).stages.map(({ name, needs }) => `${name}<${needs.join(',')}`);

describe('a false flag removes its role family and closes the gap', () => {
	test.each([
		['safe_impl', { enable_brief: false }, ['codex_impl<', 'codex_verify<codex_impl', 'gemini_review<codex_verify']],
		['safe_impl', { enable_verify: false }, ['gemini_brief<', 'codex_impl<gemini_brief', 'gemini_review<codex_impl']],
		['safe_impl', { enable_verify: false, enable_review: false }, ['gemini_brief<', 'codex_impl<gemini_brief']],
		[
			'post_impl_review',
			{ enable_review: false },
			[
				'gemini_test_design<',
				'gemini_static_verify<',
				'codex_test_impl<gemini_test_design',
				'codex_verify<gemini_static_verify,codex_test_impl',
			],
		],
		[
			'post_impl_review',
			{ enable_verify: false },
			['gemini_review<', 'gemini_test_design<', 'codex_review<', 'codex_test_impl<gemini_review,gemini_test_design,codex_review'],
		],
		[
			'standard',
			{ enable_codex_enrich: false },
			[
				'copilot_draft<',
				'gemini_enrich<copilot_draft',
				'codex_cross_review<copilot_draft,gemini_enrich',
				'gemini_cross_review<copilot_draft,gemini_enrich',
				'copilot_consolidate<codex_cross_review,gemini_cross_review',
			],
		],
		[
			'standard',
			{ enable_cross_review: false, enable_gemini_enrich: false },
			['copilot_draft<', 'codex_enrich<copilot_draft', 'copilot_consolidate<copilot_draft,codex_enrich'],
		],
		[
			'standard',
			{ enable_cross_review: false, enable_gemini_enrich: false, enable_codex_enrich: false },
			['copilot_draft<', 'copilot_consolidate<copilot_draft'],
		],
	])('%s with %j', (intent, flags, stages) => {
		expect(stagesWith(intent, flags)).toEqual(stages);
	});

	test('a flag of the profile counts, and the manifest may take it back', () => {
		const user = { pipelines: { impl: { profiles: { safe_impl: { flags: { enable_review: false } } } } } };
		const names = (flags: Record<string, boolean>) =>
			planOf({ manifest: { intent: 'safe_impl', routing: { pipeline: { flags } } }, user }).stages.map(({ name }) => name);
		expect(names({})).not.toContain('gemini_review');
		expect(names({ enable_review: true })).toContain('gemini_review');
	});

	test('a plan with nothing left is an error', () => {
		expect(failuresOf({ manifest: { intent: 'review_cross', routing: { pipeline: { flags: { enable_review: false } } } } })).toEqual([
			{
				exit: 3,
				message: 'nothing is left of profile "review_cross" with enable_review false',
				at: ['routing', 'pipeline', 'flags'],
				source: null,
			},
		]);
	});

	test('an entry for a stage that a flag removed is no mistake', () => {
		const routing = { pipeline: { flags: { enable_verify: false } }, stages: { codex_verify: { max_steps: 3 } } };
		expect(planOf({ manifest: { intent: 'safe_impl', routing } }).stages).toHaveLength(3);
	});
});

describe('flags and options are checked per group', () => {
	const complaint = (intent: string, pipeline: object) => failuresOf({ manifest: { intent, routing: { pipeline } } })[0]?.message;

	test.each<[string, object, string]>([
		['review_only', { flags: { enable_brief: true } }, 'group review has no flag "enable_brief"; allowed: enable_verify, enable_review'],
		[
			'review_only',
			{ flags: { enabel_review: true } },
			'group review has no flag "enabel_review"; did you mean "enable_review"? allowed: enable_verify, enable_review',
		],
		['explore', { flags: { enable_review: true } }, 'group task has no flag "enable_review"; it has none'],
		['safe_impl', { options: { fix_rounds: 6 } }, 'fix_rounds cannot be 6; allowed: 0, 1, 2, 3, 4, 5'],
		['safe_impl', { options: { fix_rounds: 1.5 } }, 'fix_rounds cannot be 1.5; allowed: 0, 1, 2, 3, 4, 5'],
		['safe_impl', { options: { fix_rounds: '2' } }, 'fix_rounds cannot be "2"; allowed: 0, 1, 2, 3, 4, 5'],
		['review_only', { options: { fail_on: 'low' } }, 'fail_on cannot be "low"; allowed: none, high'],
		['safe_impl', { options: { timeout_mode: 'wait' } }, 'timeout_mode cannot be "wait"; allowed: enforce, wait_done'],
		['safe_impl', { options: { fail_on: 'high' } }, 'group impl has no option "fail_on"; allowed: impl_mode, timeout_mode, fix_rounds'],
	])('%s with %j', (intent, pipeline, message) => {
		expect(complaint(intent, pipeline)).toBe(message);
	});

	test('a group that a project adds knows them all', () => {
		const profile = {
			stages: ['gemini_brief', 'codex_review'],
			flags: { enable_brief: false },
			options: { fix_rounds: 1, fail_on: 'high' },
		};
		const plan = planOf({ manifest: { intent: 'mine' }, user: { pipelines: { mine: { profiles: { mine: profile } } } } });
		expect(plan.stages.map(({ name }) => name)).toEqual(['codex_review']);
		expect(plan.options).toEqual({ fix_rounds: 1, fail_on: 'high' });
	});

	test('the manifest decides over the options of the profile', () => {
		const routing = { pipeline: { options: { fail_on: 'none' } } };
		expect(planOf({ manifest: { intent: 'strict_review', routing } }).options).toEqual({ review_mode: 'cross', fail_on: 'none' });
	});
});

describe('a mode never switches the profile', () => {
	const withMode = (intent: string, options: Record<string, string>) => ({ manifest: { intent, routing: { pipeline: { options } } } });

	test('one that fits changes nothing', () => {
		expect(planOf(withMode('codex_only', { review_mode: 'codex_only' })).profile).toBe('codex_only');
	});

	test.each([
		[
			'safe_impl',
			{ impl_mode: 'one_shot' },
			'impl_mode one_shot does not fit profile "safe_impl", which is impl_mode safe; choose the profile "one_shot_impl" instead',
		],
		[
			'one_shot_impl',
			{ impl_mode: 'safe' },
			'impl_mode safe does not fit profile "one_shot_impl", which is impl_mode one_shot; choose the profile "safe_impl" or "design_only" instead',
		],
		[
			'review_cross',
			{ review_mode: 'codex_only' },
			'review_mode codex_only does not fit profile "review_cross", which is review_mode cross; choose the profile "codex_only" instead',
		],
	])('%s with %j', (intent, options, message) => {
		expect(failuresOf(withMode(intent, options)).map((failure) => failure.message)).toEqual([message]);
	});
});
