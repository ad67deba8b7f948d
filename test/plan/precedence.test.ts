import { describe, expect, test } from 'vitest';
import type { ConfigLayer } from '../../src/contract/config.ts';
import type { PlannedStage } from '../../src/contract/plan.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import type { Given, ManifestParts } from './config-of.ts';
import { inputOf, shipped } from './config-of.ts';

/** One level of a list: its name, the value it gives, and how a user writes it. */
type Level = readonly [level: string, value: string | number | null, write: (given: Draft) => void];

interface Draft {
	manifest: Record<string, unknown>;
	flags: Record<string, string>;
	env: Record<string, string>;
	user: Record<string, unknown>;
	defaults: Record<string, unknown>;
}

const inManifest = (path: string, value: unknown) => (draft: Draft) => put(draft.manifest, path, value);
const inUser = (path: string, value: unknown) => (draft: Draft) => put(draft.user, path, value);
const inDefaults = (path: string, value: unknown) => (draft: Draft) => put(draft.defaults, path, value);
const byFlag = (name: string, value: string) => (draft: Draft) => put(draft.flags, name, value);
const byEnv = (name: string, value: string) => (draft: Draft) => put(draft.env, name, value);

const profile = 'pipelines/task/profiles/review';

const tool: readonly Level[] = [
	['--force-task-provider', 'claude', byFlag('force_task_provider', 'claude')],
	['routing.stages.<stage>.provider', 'codex', inManifest('routing/stages/review/provider', 'codex')],
	['provider of the manifest', 'gemini', inManifest('provider', 'gemini')],
	['--provider', 'copilot', byFlag('provider', 'copilot')],
	['task_providers of the user', 'codex', inUser('dispatch/task_providers/review', 'codex')],
	['DISPATCH_PROVIDER', 'gemini', byEnv('DISPATCH_PROVIDER', 'gemini')],
	['provider of the user', 'copilot', inUser('dispatch/provider', 'copilot')],
	['task_providers of the package', 'codex', inDefaults('dispatch/task_providers/review', 'codex')],
	['provider of the package', 'gemini', inDefaults('dispatch/provider', 'gemini')],
	['nothing', 'claude', () => {}],
];

const config = (write: typeof inUser, tag: string): readonly Level[] => [
	[`stage_models ${tag}`, `${tag}1`, write(`${profile}/stage_models/review`, `${tag}1`)],
	[`providers.<tool>.task_types.<type>.model ${tag}`, `${tag}2`, write('servants/claude/task_types/review/model', `${tag}2`)],
	[`purpose_models ${tag}`, `${tag}3`, write('servants/claude/purpose_models/review', `${tag}3`)],
	[`default_model ${tag}`, `${tag}4`, write('servants/claude/default_model', `${tag}4`)],
	[`legacy task_types.<type>.model ${tag}`, `${tag}5`, write('dispatch/task_types/review/model', `${tag}5`)],
	[`legacy model ${tag}`, `${tag}6`, write('dispatch/model', `${tag}6`)],
	[`legacy defaults.model ${tag}`, `${tag}7`, write('dispatch/defaults/model', `${tag}7`)],
];
const model: readonly Level[] = [
	['routing.stages.<stage>.model', 'm1', inManifest('routing/stages/review/model', 'm1')],
	['--model', 'm2', byFlag('model', 'm2')],
	['model of the manifest', 'm3', inManifest('model', 'm3')],
	['routing.model.<tool>', 'm4', inManifest('routing/model', { claude: 'm4' })],
	...config(inUser, 'user'),
	['DISPATCH_MODEL', 'm5', byEnv('DISPATCH_MODEL', 'm5')],
	...config(inDefaults, 'package'),
	['nothing', null, () => {}],
];

const efforts = (write: typeof inUser, tag: string): readonly Level[] => [
	[`stage_efforts ${tag}`, 'low', write(`${profile}/stage_efforts/review`, 'low')],
	[`purpose_efforts ${tag}`, `${tag}2`, write('servants/claude/purpose_efforts/review', `${tag}2`)],
	[`wrapper_defaults.effort ${tag}`, `${tag}3`, write('servants/claude/wrapper_defaults/effort', `${tag}3`)],
];
const effort: readonly Level[] = [
	['routing.stages.<stage>.effort', 'high', inManifest('routing/stages/review/effort', 'high')],
	...efforts(inUser, 'user'),
	...efforts(inDefaults, 'package'),
	['nothing', null, () => {}],
];

const steps = (write: typeof inUser, tag: string, base: number): readonly Level[] =>
	[
		`${profile}/stage_max_steps/review`,
		'servants/claude/task_types/review/max_steps',
		'servants/claude/task_types/review/max_turns',
		'servants/claude/max_steps',
		'dispatch/task_types/review/max_steps',
		'dispatch/task_types/review/max_turns',
		'dispatch/max_steps',
		'dispatch/defaults/max_steps',
		'dispatch/max_turns',
		'dispatch/defaults/max_turns',
	].map((path, i): Level => [`${path} ${tag}`, base + i, write(path, base + i)]);
const maxSteps: readonly Level[] = [
	['routing.stages.<stage>.max_steps', 1, inManifest('routing/stages/review/max_steps', 1)],
	['budgets.max_steps', 2, inManifest('budgets/max_steps', 2)],
	...steps(inUser, 'user', 100),
	...steps(inDefaults, 'package', 200),
	['nothing', 50, () => {}],
];

const timeout: readonly Level[] = [
	['routing.stages.<stage>.timeout_sec', 1, inManifest('routing/stages/review/timeout_sec', 1)],
	['budgets.max_wallclock_sec', 2, inManifest('budgets/max_wallclock_sec', 2)],
	['wrapper_defaults.timeout_ms user', 3, inUser('servants/claude/wrapper_defaults/timeout_ms', 3000)],
	['wrapper_defaults.timeout_ms package', 4, inDefaults('servants/claude/wrapper_defaults/timeout_ms', 4000)],
	['nothing', 900, () => {}],
];

const mode: readonly Level[] = [
	['options of the manifest', 'wait_done', inManifest('routing/pipeline/options/timeout_mode', 'wait_done')],
	['options of the profile, user', 'enforce', inUser(`${profile}/options/timeout_mode`, 'enforce')],
	['wrapper_defaults.timeout_mode user', 'wait_done', inUser('servants/claude/wrapper_defaults/timeout_mode', 'wait_done')],
	['options of the profile, package', 'enforce', inDefaults(`${profile}/options/timeout_mode`, 'enforce')],
	['wrapper_defaults.timeout_mode package', 'wait_done', inDefaults('servants/claude/wrapper_defaults/timeout_mode', 'wait_done')],
	['nothing', 'enforce', () => {}],
];

const lists: readonly (readonly [keyof PlannedStage, readonly Level[]])[] = [
	['tool', tool],
	['model', model],
	['effort', effort],
	['max_steps', maxSteps],
	['timeout_sec', timeout],
	['timeout_mode', mode],
];

describe.each(lists)('%s', (field, levels) => {
	test.each(levels.map((level, i) => [level[0], i] as const))('%s beats all that stands below it', (_name, from) => {
		const built = buildPlan(inputOf(given(levels.slice(from))));
		if (!built.ok) throw new Error(JSON.stringify(built.failures));
		const stage = built.value.plan.stages[0]!;
		expect(stage[field]).toBe(levels[from]![1]);
		const tried = built.value.explanation[stage.name]![field]!;
		const won = tried.filter((level) => level.won);
		expect(won.map(({ value, source }) => [value, source])).toEqual(stage[field] === null ? [] : [[stage[field], stage.sources[field]]]);
		expect(tried.filter(({ value }) => value !== null).length).toBeGreaterThanOrEqual(levels.length - from - 1);
	});
});

test('a wall-clock limit of 0 is none of its own: the next level counts, and in the end there always is one', () => {
	const none: readonly Level[] = [
		['stage', 0, inManifest('routing/stages/review/timeout_sec', 0)],
		['budget', 0, inManifest('budgets/max_wallclock_sec', 0)],
		['servant', 0, inUser('servants/claude/wrapper_defaults/timeout_ms', 0)],
	];
	const timeoutOf = (levels: readonly Level[]) => {
		const built = buildPlan(inputOf(given(levels)));
		return built.ok && built.value.plan;
	};
	expect(timeoutOf(none)).toMatchObject({ budgets: { max_wallclock_sec: 900 }, stages: [{ timeout_sec: 900 }] });
	expect(timeoutOf([...none, timeout[3]!])).toMatchObject({ stages: [{ timeout_sec: 4 }] });
});

test('every value says where it comes from', () => {
	const input = inputOf({
		manifest: { task_type: 'review', budgets: { max_steps: 7 } },
		user: { dispatch: { task_providers: { review: 'codex' } } },
	});
	const built = buildPlan(input);
	expect(built.ok && built.value.plan.stages[0]!.sources).toEqual({
		tool: 'configs: dispatch.task_providers.review',
		model: 'package default',
		effort: 'package default',
		timeout_sec: 'package default',
		timeout_mode: 'package default',
		max_steps: 'manifest: budgets.max_steps',
		access: 'role review',
		purpose: 'role review',
	});
});

test('the explanation names every level that was tried, the losers included', () => {
	const built = buildPlan(
		inputOf({
			manifest: { task_type: 'review' },
			user: { dispatch: { provider: 'gemini' } },
			env: { DISPATCH_PROVIDER: 'codex' },
		}),
	);
	expect(built.ok && built.value.explanation.codex_review!.tool).toEqual([
		{ level: '--force-task-provider', value: null, source: null, won: false },
		{ level: 'routing.stages.review.provider', value: null, source: null, won: false },
		{ level: 'provider of the manifest', value: null, source: null, won: false },
		{ level: '--provider', value: null, source: null, won: false },
		{ level: 'task_providers.review', value: null, source: null, won: false },
		{ level: 'DISPATCH_PROVIDER', value: 'codex', source: 'DISPATCH_PROVIDER', won: true },
		{ level: 'provider', value: 'gemini', source: 'configs: dispatch.provider', won: false },
		{ level: 'task_providers.review (package)', value: null, source: null, won: false },
		{ level: 'provider (package)', value: null, source: null, won: false },
		{ level: 'claude', value: 'claude', source: 'package default', won: false },
	]);
});

test('empty strings count as absent', () => {
	const built = buildPlan(
		inputOf({
			manifest: { task_type: 'review', provider: '', model: '', routing: { stages: { review: { provider: '', model: '', effort: '' } } } },
			flags: { provider: '', model: '', force_task_provider: '' },
			env: { DISPATCH_PROVIDER: '', DISPATCH_MODEL: '' },
			user: { dispatch: { provider: 'codex' } },
		}),
	);
	expect(built.ok && built.value.plan.stages[0]).toMatchObject({ tool: 'codex', model: 'gpt-5.2-codex', effort: 'medium' });
});

test("a profile of the user's with stages hides all entries of the package's profile", () => {
	const defaults = structuredClone(shipped) as ConfigLayer;
	Object.assign(defaults.pipelines.review!.profiles!.review_only!, {
		stage_models: { gemini_review: 'flash' },
		stage_max_steps: { gemini_review: 5 },
		options: { timeout_mode: 'wait_done' },
	});
	const plan = (user: Given['user']) => {
		const built = buildPlan(inputOf({ manifest: { intent: 'review_only' }, defaults, user }));
		if (!built.ok) throw new Error(JSON.stringify(built.failures));
		return built.value.plan.stages[0];
	};
	expect(plan({})).toMatchObject({ model: 'flash', max_steps: 5, timeout_mode: 'wait_done' });
	const user = { pipelines: { review: { profiles: { review_only: { stages: ['gemini_review'] } } } } };
	expect(plan(user)).toMatchObject({ model: 'pro', max_steps: 50, timeout_mode: 'enforce' });
});

function given(levels: readonly Level[]): Given {
	const defaults = {
		servants: { claude: {}, codex: {}, gemini: {}, copilot: {} },
		pipelines: structuredClone(shipped.pipelines),
		dispatch: {},
	};
	const draft: Draft = { manifest: { task_type: 'review' }, flags: {}, env: {}, user: {}, defaults };
	for (const [, , write] of levels) write(draft);
	return { ...draft, manifest: draft.manifest as ManifestParts };
}

function put(target: object, path: string, value: unknown): void {
	const keys = path.split('/');
	let at = target as Record<string, unknown>;
	for (const key of keys.slice(0, -1)) {
		at[key] ??= {};
		at = at[key] as Record<string, unknown>;
	}
	at[keys.at(-1)!] = value;
}
