import { expect, test } from 'vitest';
import { failuresOf, planOf } from './config-of.ts';

const words = 'allowed: none, minimal, low, medium, high, xhigh, max, ultra';

test('an effort that the servant does not know is an error where it stands', () => {
	const manifest = { intent: 'codex_only', routing: { stages: { codex_review: { effort: 'hgih' } } } };
	expect(failuresOf({ manifest })).toEqual([
		{
			exit: 3,
			message: `codex knows no effort "hgih"; did you mean "high"? ${words}`,
			at: ['routing', 'stages', 'codex_review', 'effort'],
			source: null,
		},
	]);
	const user = { pipelines: { review: { profiles: { codex_only: { stage_efforts: { codex_verify: 'galactic' } } } } } };
	expect(failuresOf({ manifest: { intent: 'codex_only' }, user })).toEqual([
		{
			exit: 3,
			message: `codex knows no effort "galactic"; ${words}`,
			at: null,
			source: 'configs: pipelines.review.profiles.codex_only.stage_efforts.codex_verify',
		},
	]);
	// What is not used does no harm: another servant may know the word.
	expect(failuresOf({ manifest, flags: { force_task_provider: 'gemini' } })).toEqual([]);
});

test('an effort for a servant that takes none is a warning', () => {
	const manifest = { intent: 'review_only', routing: { stages: { gemini_review: { effort: 'high' } } } };
	expect(planOf({ manifest }).warnings).toEqual([
		'effort "high" has no effect: gemini takes none (gemini_review, manifest: routing.stages.gemini_review.effort)',
	]);
	const user = { servants: { mine: { command: 'mine', args: ['--effort', '{effort}'] } } };
	const routed = { task_type: 'review', provider: 'mine', routing: { stages: { review: { effort: 'galactic' } } } } as const;
	expect(planOf({ manifest: routed, user }).warnings).toEqual([]);
});
