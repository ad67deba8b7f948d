import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { loaded, packageRoot } from './project.ts';

const config = loaded({});

test('the shipped configuration loads without a word', () => {
	expect(config.warnings).toEqual([]);
	expect(config.user).toEqual({ servants: {}, pipelines: {}, dispatch: {} });
	expect(config.merged).toEqual(config.defaults);
});

test.each([
	['impl', 'safe_impl', 'gemini_brief codex_impl codex_verify gemini_review', undefined, { impl_mode: 'safe' }],
	['impl', 'one_shot_impl', 'gemini_brief copilot_runbook codex_verify', undefined, { impl_mode: 'one_shot' }],
	['impl', 'design_only', 'gemini_brief gemini_test_design gemini_review', undefined, { impl_mode: 'safe' }],
	[
		'review',
		'review_cross',
		'gemini_review codex_review copilot_review_consolidate',
		{ copilot_review_consolidate: ['gemini_review', 'codex_review'] },
		{ review_mode: 'cross' },
	],
	[
		'review',
		'post_impl_review',
		'gemini_review gemini_test_design gemini_static_verify codex_review codex_test_impl codex_verify',
		{
			codex_test_impl: ['gemini_review', 'gemini_test_design', 'codex_review'],
			codex_verify: ['gemini_static_verify', 'codex_test_impl'],
		},
		{ review_mode: 'cross' },
	],
	['review', 'review_only', 'gemini_review', undefined, { review_mode: 'cross' }],
	['review', 'codex_only', 'codex_review codex_verify', undefined, { review_mode: 'codex_only' }],
	[
		'review',
		'strict_review',
		'gemini_review codex_review copilot_review_consolidate',
		{ copilot_review_consolidate: ['gemini_review', 'codex_review'] },
		{ review_mode: 'cross', fail_on: 'high' },
	],
	[
		'plan',
		'standard',
		'copilot_draft codex_enrich gemini_enrich codex_cross_review gemini_cross_review copilot_consolidate',
		{
			codex_enrich: ['copilot_draft'],
			gemini_enrich: ['copilot_draft'],
			codex_cross_review: ['codex_enrich', 'gemini_enrich'],
			gemini_cross_review: ['codex_enrich', 'gemini_enrich'],
			copilot_consolidate: ['codex_cross_review', 'gemini_cross_review'],
		},
		{ consolidate_mode: 'standard' },
	],
	['task', 'task', 'impl', undefined, undefined],
	['task', 'explore', 'explore', undefined, undefined],
	['task', 'plan', 'plan', undefined, undefined],
	['task', 'implement', 'impl verify', undefined, undefined],
	['task', 'review', 'review', undefined, undefined],
	['task', 'improve', 'improve verify', undefined, undefined],
])('group %s ships %s', (group, name, stages, needs, options) => {
	const profile = config.defaults.pipelines[group]?.profiles?.[name];
	expect(profile?.stages?.join(' ')).toBe(stages);
	expect(profile?.needs).toEqual(needs);
	expect(profile?.options).toEqual(options);
});

test('nothing else is shipped: fifteen profiles in four groups', () => {
	const counts = Object.entries(config.defaults.pipelines).map(([group, file]) => [
		group,
		Object.keys(file.profiles ?? {}).length,
		file.default_profile,
	]);
	expect(counts.sort()).toEqual([
		['impl', 3, 'safe_impl'],
		['plan', 1, 'standard'],
		['review', 5, 'review_cross'],
		['task', 6, 'task'],
	]);
});

test('the shipped servants enforce their limits, fall back to nobody, and leave the wall clock to the manifest', () => {
	const servants = Object.entries(config.defaults.servants);
	expect(servants.map(([tool]) => tool).sort()).toEqual(['claude', 'codex', 'copilot', 'gemini', 'replay']);
	for (const [, { wrapper_defaults, fallback }] of servants) {
		expect(wrapper_defaults).toMatchObject({ timeout_mode: 'enforce' });
		expect(wrapper_defaults?.timeout_ms).toBeUndefined();
		expect(fallback).toBeUndefined();
	}
	for (const [tool, { default_model, purpose_models, allowed_models }] of servants) {
		if (tool !== 'replay') expect(allowed_models).toEqual(expect.arrayContaining([default_model, ...Object.values(purpose_models ?? {})]));
	}
	expect(servants.map(([tool, { default_model }]) => [tool, default_model])).toEqual([
		['claude', 'sonnet'],
		['codex', 'gpt-5.5'],
		['copilot', 'claude-sonnet-4.6'],
		['gemini', 'pro'],
		['replay', undefined],
	]);
});

test("inside the package's own repository its files are the defaults and not a project's", () => {
	const result = loadConfig({ root: packageRoot, packageDir: packageRoot, userDir: null });
	expect(result.ok && result.value.user).toEqual({ servants: {}, pipelines: {}, dispatch: {} });
});

test('defaults that are at hand are not read again', () => {
	const result = loadConfig({ root: '/nowhere', packageDir: '/nowhere-either', userDir: null, defaults: config.defaults });
	expect(result.ok && result.value.merged).toEqual(config.merged);
	expect(result.ok && result.value.source('defaults', ['servants', 'codex', 'default_model'])).toBe('package default');
});
