import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';
import { loaded, packageRoot, said, text } from './project.ts';

const result = loadConfig({ root: resolve(packageRoot, 'test/fixtures/old-config'), packageDir: packageRoot, userDir: null });
if (!result.ok) throw new Error(result.failures.map(renderComplaint).join('\n'));
const config = result.value;

test('the six files of the original load unchanged; what was never used is named', () => {
	expect(config.warnings.map(renderComplaint).join('\n')).toBe(
		text(`
		configs/pipeline/review-pipeline.yaml:51:7  warning  security_mode is not used; it is ignored
		    51 |       security_mode: strict
		       |       ^
		configs/servant/codex.yaml:25:1  warning  effort_level_descriptions is not used; it is ignored
		    25 | effort_level_descriptions:
		       | ^
		configs/servant/gemini.yaml:24:1  warning  web_capabilities is not used; it is ignored
		    24 | web_capabilities:
		       | ^
		`),
	);
	expect(config.merged.pipelines.review?.profiles?.strict_review?.options).toEqual({ review_mode: 'cross', timeout_mode: 'wait_done' });
	expect(config.user.servants.codex).not.toHaveProperty('effort_level_descriptions');
});

test('its servants keep their models, efforts and limits', () => {
	expect(config.user.servants.codex).toMatchObject({
		default_model: 'gpt-5.3-codex',
		purpose_models: { review: 'gpt-5.2-codex' },
		purpose_efforts: { review: 'medium' },
		wrapper_defaults: { effort: 'high', timeout_ms: 600000, timeout_mode: 'wait_done' },
	});
	expect(config.source('user', ['servants', 'codex', 'default_model'])).toBe('configs/servant/codex.yaml:3:16');
});

test("a plan profile without stages keeps the package's stages and takes its own options", () => {
	const standard = config.merged.pipelines.plan?.profiles?.standard;
	expect(standard?.stages).toEqual(config.defaults.pipelines.plan?.profiles?.standard?.stages);
	expect(standard?.needs).toEqual(config.defaults.pipelines.plan?.profiles?.standard?.needs);
	expect(standard?.options).toEqual({ consolidate_mode: 'standard', timeout_mode: 'wait_done' });
});

test("a second plan profile of the original, which could not name stages, has the package's too", () => {
	const file = 'version: 1\npipeline: plan\nprofiles:\n  quick:\n    flags: { enable_cross_review: false }\n';
	const { merged, defaults } = loaded({ 'configs/pipeline/plan-pipeline.yaml': file });
	const { stages, needs } = defaults.pipelines.plan!.profiles!.standard!;
	expect(merged.pipelines.plan?.profiles?.quick).toEqual({ stages, needs, flags: { enable_cross_review: false } });
	expect(merged.pipelines.plan?.profiles?.standard).toEqual(defaults.pipelines.plan?.profiles?.standard);
	expect(said({ 'configs/pipeline/plan.yaml': file.replace('version: 1\n', '') })).toContain('profile "quick" has no stages');
});

test('a profile with stages stands alone: the needs of the shipped one of that name are gone', () => {
	expect(config.merged.pipelines.review?.profiles?.review_cross).toEqual({
		stages: ['gemini_review', 'codex_review', 'copilot_review_consolidate'],
		flags: { enable_verify: true, enable_review: true },
		options: { review_mode: 'cross', timeout_mode: 'wait_done' },
	});
});
