import type { Config, ConfigLayer } from '../../src/contract/config.ts';
import type { Manifest } from '../../src/contract/manifest.ts';
import type { Plan, PlanFlags, PlannedStage } from '../../src/contract/plan.ts';
import type { RoleContract } from '../../src/contract/role.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import type { PlanFailure, PlanInput } from '../../src/plan/plan-input.ts';

/** Configuration by hand, without the room that reads it from files. */
export function configOf(user: Partial<ConfigLayer> = {}, defaults: Partial<ConfigLayer> = shipped): Config {
	const layers = { user: { ...empty, ...user }, defaults: { ...empty, ...defaults } };
	return {
		...layers,
		merged: merge(layers.defaults, layers.user, []) as ConfigLayer,
		source: (layer, path) => {
			if (valueAt(layers[layer], path) === undefined) return undefined;
			return layer === 'user' ? `configs: ${path.join('.')}` : 'package default';
		},
	};
}

const empty: ConfigLayer = { servants: {}, pipelines: {}, dispatch: {} };

function valueAt(value: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
}

/** Deep for maps; lists and scalars are replaced; a profile with stages replaces the one below it whole. */
function merge(low: unknown, high: unknown, path: readonly string[]): unknown {
	if (high === undefined) return low;
	if (!isMap(low) || !isMap(high)) return high;
	if (path.length === 4 && path[0] === 'pipelines' && path[2] === 'profiles' && high.stages !== undefined) return high;
	const keys = new Set([...Object.keys(low), ...Object.keys(high)]);
	return Object.fromEntries([...keys].map((key) => [key, merge(low[key], high[key], [...path, key])]));
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const role = (purpose: RoleContract['purpose'], access: RoleContract['access'] = 'read'): RoleContract => ({
	purpose,
	access,
	sections: [],
	subsections: {},
	verdict: false,
	min_lines: 0,
	demands: 'nothing',
	artifact: false,
	handoff: 'none',
});

export const roles = {
	brief: role('plan'),
	impl: role('impl', 'write'),
	improve: role('impl', 'write'),
	runbook: role('one_shot', 'write'),
	test_impl: role('impl'),
	verify: role('verify'),
	static_verify: role('verify'),
	review: role('review'),
	review_consolidate: role('review'),
	cross_review: role('review'),
	test_design: role('plan'),
	plan: role('plan'),
	explore: role('plan'),
	draft: role('plan'),
	enrich: role('plan'),
	consolidate: role('plan'),
};

const cross = { copilot_review_consolidate: ['gemini_review', 'codex_review'] };

/** The package's defaults, as far as planning is concerned. */
export const shipped: ConfigLayer = {
	servants: {
		claude: { default_model: 'sonnet', allowed_models: ['sonnet', 'opus'] },
		codex: {
			default_model: 'gpt-5.3-codex',
			allowed_models: ['gpt-5.3-codex', 'gpt-5.2-codex', 'gpt-5-codex'],
			purpose_models: { review: 'gpt-5.2-codex' },
			purpose_efforts: { review: 'medium' },
			wrapper_defaults: { effort: 'high' },
		},
		gemini: { default_model: 'pro', allowed_models: ['auto', 'pro', 'flash'] },
		copilot: { default_model: 'claude-sonnet-4.6', allowed_models: ['auto', 'claude-sonnet-4.6', 'gpt-5-codex'] },
		replay: {},
	},
	pipelines: {
		impl: {
			default_profile: 'safe_impl',
			profiles: {
				safe_impl: { stages: ['gemini_brief', 'codex_impl', 'codex_verify', 'gemini_review'], options: { impl_mode: 'safe' } },
				one_shot_impl: { stages: ['gemini_brief', 'copilot_runbook', 'codex_verify'], options: { impl_mode: 'one_shot' } },
				design_only: { stages: ['gemini_brief', 'gemini_test_design', 'gemini_review'], options: { impl_mode: 'safe' } },
			},
		},
		review: {
			default_profile: 'review_cross',
			profiles: {
				review_cross: {
					stages: ['gemini_review', 'codex_review', 'copilot_review_consolidate'],
					needs: cross,
					options: { review_mode: 'cross' },
				},
				post_impl_review: {
					stages: ['gemini_review', 'gemini_test_design', 'gemini_static_verify', 'codex_review', 'codex_test_impl', 'codex_verify'],
					needs: {
						codex_test_impl: ['gemini_test_design', 'gemini_review', 'codex_review'],
						codex_verify: ['codex_test_impl', 'gemini_static_verify'],
					},
					options: { review_mode: 'cross' },
				},
				review_only: { stages: ['gemini_review'], options: { review_mode: 'cross' } },
				codex_only: { stages: ['codex_review', 'codex_verify'], options: { review_mode: 'codex_only' } },
				strict_review: {
					stages: ['gemini_review', 'codex_review', 'copilot_review_consolidate'],
					needs: cross,
					options: { review_mode: 'cross', fail_on: 'high' },
				},
			},
		},
		plan: {
			default_profile: 'standard',
			profiles: {
				standard: {
					stages: ['copilot_draft', 'codex_enrich', 'gemini_enrich', 'codex_cross_review', 'gemini_cross_review', 'copilot_consolidate'],
					needs: {
						codex_enrich: ['copilot_draft'],
						gemini_enrich: ['copilot_draft'],
						codex_cross_review: ['codex_enrich', 'gemini_enrich'],
						gemini_cross_review: ['codex_enrich', 'gemini_enrich'],
						copilot_consolidate: ['codex_cross_review', 'gemini_cross_review'],
					},
					options: { consolidate_mode: 'standard' },
				},
			},
		},
		task: {
			default_profile: 'task',
			profiles: {
				task: { stages: ['impl'] },
				explore: { stages: ['explore'] },
				plan: { stages: ['plan'] },
				implement: { stages: ['impl', 'verify'] },
				review: { stages: ['review'] },
				improve: { stages: ['improve', 'verify'] },
			},
		},
	},
	dispatch: {},
};

export type ManifestParts = Partial<Manifest> & { readonly intent?: string };

export interface Given {
	readonly manifest?: ManifestParts;
	readonly user?: Partial<ConfigLayer>;
	readonly defaults?: Partial<ConfigLayer>;
	readonly flags?: PlanFlags;
	readonly keptFlags?: PlanInput['keptFlags'];
	readonly env?: PlanInput['env'];
}

export function inputOf({ manifest: parts = {}, user, defaults, flags = {}, keptFlags, env = {} }: Given): PlanInput {
	const { intent, ...rest } = parts;
	const routing = intent === undefined ? rest.routing : { ...rest.routing, intent };
	const manifest: Manifest = { task_id: 't1', goal: 'g', scope: { allow: ['src/**'] }, ...rest, ...(routing && { routing }) };
	return {
		manifest,
		manifestSource: (path) => `manifest: ${path.join('.')}`,
		config: configOf(user, defaults),
		roles,
		flags,
		keptFlags,
		env,
	};
}

export function planOf(given: Given): Plan {
	const outcome = buildPlan(inputOf(given));
	if (!outcome.ok) throw new Error(outcome.failures.map(({ message }) => message).join('\n'));
	return outcome.value.plan;
}

export function stageOf(given: Given, name?: string): PlannedStage {
	const { stages } = planOf(given);
	const stage = name === undefined ? stages[0] : stages.find((candidate) => candidate.name === name);
	if (stage === undefined) throw new Error(`no stage ${name} among ${stages.map((each) => each.name).join(', ')}`);
	return stage;
}

export function failuresOf(given: Given): readonly PlanFailure[] {
	const outcome = buildPlan(inputOf(given));
	return outcome.ok ? [] : outcome.failures;
}
