import { isExclusion } from '../contract/exclusion.ts';
import { manifestDefaults } from '../contract/manifest.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Explanation, Level, Plan, PlannedStage } from '../contract/plan.ts';
import type { WorkspaceMode } from '../contract/words.ts';
import { allowedModels } from './allowed-models.ts';
import { applyFlags } from './apply-flags.ts';
import { budgetsOf, warnOfBudgets } from './budgets.ts';
import { checkEffort } from './check-effort.ts';
import { checkFallback } from './check-fallback.ts';
import { checkModel, judgeModelFlag, warnOfUnusedModel } from './check-model.ts';
import type { Options } from './check-options.ts';
import { checkOptions } from './check-options.ts';
import { checkProviders, checkToolModels } from './check-providers.ts';
import { checkUnrouted } from './check-unrouted.ts';
import { chooseProfile } from './choose-profile.ts';
import { knownTools } from './known-tools.ts';
import { readStages } from './name-stages.ts';
import { checkNeeds, needsOf } from './needs.ts';
import type { Notes } from './notes.ts';
import { newNotes } from './notes.ts';
import type { PlanFailure, PlanInput, PlanWarning } from './plan-input.ts';
import { type Refuse, refuseForeign, resolveModel } from './resolve-model.ts';
import { resolveStage } from './resolve-stage.ts';
import type { StageRoute } from './route-stages.ts';
import { routeStages } from './route-stages.ts';
import type { Situation } from './situation.ts';

export type { PlanFailure, PlanInput, PlanWarning } from './plan-input.ts';

export interface BuiltPlan {
	readonly plan: Plan;
	readonly explanation: Explanation;
	/** The plan's warnings with their places. */
	readonly warnings: readonly PlanWarning[];
}

/** Manifest, configuration, flags and environment in; the plan, or everything that is wrong, out. */
export function buildPlan(input: PlanInput): Outcome<BuiltPlan, PlanFailure> {
	const notes = newNotes();
	const tools = knownTools(input.config);
	const models = allowedModels(input.config);
	checkProviders(input, tools, notes);
	checkToolModels(input, tools, models, notes);
	const choice = chooseProfile(input, notes);
	if (choice === null) {
		checkUnrouted(input, notes);
		return notes.refusal();
	}

	const situation: Situation = { input, choice, models };
	const options = checkOptions(situation, notes);
	checkNeeds(input, choice, notes);
	const kept = applyFlags(situation, readStages(situation, tools, notes), notes);
	const routes = routeStages(situation, kept, notes);
	for (const tool of new Set(routes.map(({ stage }) => stage.tool))) checkFallback(input, tool, tools, notes);
	const resolved = resolveAll(situation, routes, notes);
	checkScope(input, resolved.stages, notes);
	warnOfBudgets(input, resolved.stages, notes);
	return notes.outcome(() => ({
		plan: planOf(situation, options, resolved.stages, notes),
		explanation: resolved.explanation,
		warnings: notes.warnings,
	}));
}

function resolveAll(situation: Situation, routes: readonly StageRoute[], notes: Notes) {
	const stages: PlannedStage[] = [];
	const explanation: Record<string, Readonly<Record<string, readonly Level[]>>> = {};
	const names = new Map(routes.map(({ stage }) => [stage.written, stage.name]));
	const removed = new Set(situation.choice.stages.filter((written) => !names.has(written)));
	const needs = needsOf(situation.choice.stages, situation.choice.profile.needs, removed);
	const flagRefusals = judgeModelFlag(
		situation,
		routes.map(({ stage }) => stage),
		notes,
	);
	routes.forEach(({ stage, toolWalked }, i) => {
		const isForced = !stage.ownOverride;
		const refuse: Refuse = isForced ? refuseForeign(situation, stage.tool) : () => null;
		const model = resolveModel(situation, stage, (by, named) => (by === 'flag' ? (flagRefusals[i] ?? null) : refuse(by, named)));
		checkModel(situation, stage, model, notes);
		checkEffort(situation, stage, notes);
		const { planned, tried } = resolveStage(situation, stage, {
			tool: toolWalked,
			model,
			needs: (needs.get(stage.written) ?? []).map((need) => names.get(need)!),
		});
		stages.push(planned);
		explanation[planned.name] = tried;
	});
	const taken = routes.map(({ stage }, i) => ({ ...stage, model: stages[i]!.model }));
	warnOfUnusedModel(situation, taken, notes);
	return { stages, explanation };
}

function planOf({ input, choice }: Situation, options: Options, stages: PlannedStage[], notes: Notes): Plan {
	const { manifest } = input;
	return {
		schema: 1,
		task_id: manifest.task_id,
		task_type: manifest.task_type ?? null,
		intent: choice.intent,
		group: choice.group,
		profile: choice.name,
		workspace: manifest.workspace ?? defaultWorkspace(manifest.task_type),
		digest_policy: manifest.context?.digest_policy ?? manifestDefaults.digest_policy,
		options,
		budgets: budgetsOf(manifest),
		warnings: notes.warnings.map(({ message }) => message),
		stages,
	};
}

function defaultWorkspace(type: PlanInput['manifest']['task_type']): WorkspaceMode {
	return type === 'task' || type === 'implement' || type === 'improve' ? 'worktree' : 'inplace';
}

/** An empty `scope.allow` means that nothing may be written; a stage that must write could only be paid for and then refused. */
function checkScope({ manifest }: PlanInput, stages: readonly PlannedStage[], notes: Notes): void {
	const writers = stages.filter(({ access }) => access === 'write').map(({ name }) => name);
	const allow = (manifest.scope?.allow ?? []).filter((pattern) => pattern !== '');
	if (writers.length === 0 || allow.some(allowsSomething)) return;
	const write = writers.length === 1 ? 'writes' : 'write';
	const is = allow.length === 0 ? 'is empty' : `names nothing in the project (${allow.join(', ')})`;
	notes.manifest(['scope', 'allow'], `scope.allow ${is}, so nothing may be written, but ${writers.join(', ')} ${write}`);
}

/** Exclusions only take away, and what lies above the project is never allowed. */
const allowsSomething = (pattern: string): boolean => !isExclusion(pattern) && !/^(?:\.\/+)*\.\.(?:\/|$)/.test(pattern);
