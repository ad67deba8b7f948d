import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigLayer } from '../../src/contract/config.ts';
import type { ManifestParts } from './config-of.ts';
import { planOf } from './config-of.ts';

/** The precedence lists read a second time, as plainly as they are written, against everything a user could write at once. */

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const tools = ['claude', 'codex', 'gemini'];
const tool = maybe(fc.constantFrom(...tools, ''));
const model = maybe(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', ''));
const effort = maybe(fc.constantFrom('low', 'medium', 'high', 'xhigh', 'max', ''));
const count = maybe(fc.integer({ min: 1, max: 99 }));
const type = fc.constantFrom('review', 'implement', 'task');

const perType = fc.record({ model, max_steps: count, max_turns: count });
const servant = fc.record({
	default_model: model,
	purpose_models: maybe(fc.record({ review: model, verify: model })),
	purpose_efforts: maybe(fc.record({ review: effort, verify: effort })),
	wrapper_defaults: maybe(fc.record({ effort, timeout_ms: maybe(fc.integer({ min: 0, max: 9 })) })),
	max_steps: count,
	task_types: maybe(fc.record({ review: perType, implement: perType })),
});
const layer = (stages: fc.Arbitrary<string[] | undefined>) =>
	fc.record({
		servants: fc.record({ claude: servant, codex: servant, gemini: servant }),
		stages,
		stage_models: maybe(fc.record({ review: model, codex_verify: model })),
		stage_efforts: maybe(fc.record({ review: effort, codex_verify: effort })),
		stage_max_steps: maybe(fc.record({ review: count, codex_verify: count })),
		dispatch: fc.record({
			provider: tool,
			task_providers: maybe(fc.record({ review: tool, implement: tool })),
			model,
			max_steps: count,
			max_turns: count,
			defaults: maybe(fc.record({ model, max_steps: count, max_turns: count })),
			task_types: maybe(fc.record({ review: perType, implement: perType })),
		}),
	});
const override = maybe(fc.record({ provider: tool, model, effort, max_steps: count, timeout_sec: count }));

const stages = ['review', 'codex_verify'];
const world = fc.record({
	type: maybe(type),
	manifest: fc.record({ provider: tool, model, stages: maybe(fc.record({ review: override, codex_verify: override })) }),
	toolModels: maybe(fc.record({ claude: model, codex: model, gemini: model })),
	budgets: maybe(fc.record({ max_steps: count, max_wallclock_sec: count })),
	flags: fc.record({ provider: tool, force_task_provider: maybe(fc.constantFrom('claude', 'codex', '')), model }),
	env: fc.record({ DISPATCH_PROVIDER: tool, DISPATCH_MODEL: model }),
	user: layer(maybe(fc.constant(stages))),
	defaults: layer(fc.constant(stages)),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;
type Layer = World['user'];

test('the resolver agrees with a naive reading of the precedence lists', () => {
	fc.assert(
		fc.property(world, (w) => {
			const plan = planOf({
				manifest: clean({
					intent: 'mine',
					task_type: w.type,
					provider: w.manifest.provider,
					model: w.manifest.model,
					budgets: w.budgets,
					routing: { stages: w.manifest.stages, model: w.toolModels },
				}) as ManifestParts,
				flags: clean(w.flags),
				env: clean(w.env),
				user: layerOf(w.user),
				defaults: layerOf(w.defaults),
			});
			for (const stage of plan.stages) {
				const { written, tool: found, model: named, effort, max_steps, timeout_sec } = stage;
				expect({ written, tool: found, model: named, effort, max_steps, timeout_sec }).toEqual({ written, ...naive(w, written) });
			}
			expect(plan.stages.map(({ written }) => written)).toEqual(stages);
		}),
		{ numRuns: 1000 },
	);
});

function naive(w: World, stage: string) {
	const own = w.manifest.stages?.[stage as 'review'];
	const purpose = stage === 'review' ? 'review' : 'verify';
	const routed = stage === 'review';
	const t = w.type as 'review' | undefined;

	const natural = routed
		? first([
				own?.provider,
				w.manifest.provider,
				w.flags.provider,
				t && w.user.dispatch.task_providers?.[t],
				w.env.DISPATCH_PROVIDER,
				w.user.dispatch.provider,
				t && w.defaults.dispatch.task_providers?.[t],
				w.defaults.dispatch.provider,
				'claude',
			])
		: 'codex';
	const runs = (first([w.flags.force_task_provider, own?.provider, natural ?? undefined]) ?? 'claude') as 'claude';
	const asWritten = runs === natural;
	const asAsked = runs === (own?.provider || natural);

	// The package's profile is gone where the user's has stages.
	const lower = w.user.stages === undefined ? w.defaults : undefined;
	const key = stage as 'review';
	const modelsOf = (l: Layer, profile: Layer | undefined) => [
		asWritten ? profile?.stage_models?.[key] : undefined,
		t && l.servants[runs].task_types?.[t]?.model,
		l.servants[runs].purpose_models?.[purpose],
		l.servants[runs].default_model,
		t && l.dispatch.task_types?.[t]?.model,
		l.dispatch.model,
		l.dispatch.defaults?.model,
	];
	const effortsOf = (l: Layer, profile: Layer | undefined) => [
		asWritten ? profile?.stage_efforts?.[key] : undefined,
		l.servants[runs].purpose_efforts?.[purpose],
		l.servants[runs].wrapper_defaults?.effort,
	];
	const stepsOf = (l: Layer, profile: Layer | undefined) => [
		profile?.stage_max_steps?.[key],
		t && l.servants[runs].task_types?.[t]?.max_steps,
		t && l.servants[runs].task_types?.[t]?.max_turns,
		l.servants[runs].max_steps,
		t && l.dispatch.task_types?.[t]?.max_steps,
		t && l.dispatch.task_types?.[t]?.max_turns,
		l.dispatch.max_steps,
		l.dispatch.defaults?.max_steps,
		l.dispatch.max_turns,
		l.dispatch.defaults?.max_turns,
	];
	const secondsOf = (l: Layer) => {
		const ms = l.servants[runs].wrapper_defaults?.timeout_ms;
		return ms ? ms / 1000 : undefined;
	};
	return {
		tool: runs,
		model: first([
			asAsked ? own?.model : undefined,
			w.flags.model,
			routed ? w.manifest.model : undefined,
			w.toolModels?.[runs],
			...modelsOf(w.user, w.user),
			w.env.DISPATCH_MODEL,
			...modelsOf(w.defaults, lower),
		]),
		effort: first([asAsked ? own?.effort : undefined, ...effortsOf(w.user, w.user), ...effortsOf(w.defaults, lower)]),
		max_steps: first([own?.max_steps, w.budgets?.max_steps, ...stepsOf(w.user, w.user), ...stepsOf(w.defaults, lower), 50]),
		timeout_sec: first([own?.timeout_sec, w.budgets?.max_wallclock_sec, secondsOf(w.user), secondsOf(w.defaults), 900]),
	};
}

function first<T extends string | number>(values: readonly (T | undefined)[]): T | null {
	return values.find((value) => value !== undefined && value !== '') ?? null;
}

function layerOf(l: Layer): ConfigLayer {
	const { servants, dispatch, ...profile } = l;
	return clean({ servants, dispatch, pipelines: { mine: { profiles: { mine: profile } } } }) as ConfigLayer;
}

/** Without the keys that nobody wrote. */
function clean<T extends object>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}
