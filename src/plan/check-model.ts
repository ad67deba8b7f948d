import { keptHint } from './keep-flags.ts';
import type { Notes } from './notes.ts';
import type { ModelChoice } from './resolve-model.ts';
import type { RoutedStage, Situation } from './situation.ts';

/**
 * For each stage why `--model` does not count there, or null. A stage with its tool in its name is passed over with a
 * warning where another stage of the plan can take the model; a model that no stage can take is a wrong flag.
 */
export function judgeModelFlag(situation: Situation, stages: readonly RoutedStage[], notes: Notes): readonly (string | null)[] {
	const { models, input } = situation;
	const model = input.flags.model;
	if (!model) return stages.map(() => null);
	const overridden = (stage: RoutedStage) =>
		stage.ownOverride && stage.overrideKey !== null && Boolean(input.manifest.routing?.stages?.[stage.overrideKey]?.model);
	const allowed = stages.map((stage) => models.allows(stage.tool, model));
	const takenSomewhere = stages.some((stage, i) => allowed[i] && !overridden(stage));
	return stages.map((stage, i) => {
		if (allowed[i]) return null;
		if (!overridden(stage)) {
			if (stage.fixedTool !== null && takenSomewhere)
				notes.warn(`--model ${model} is not used for ${stage.name}: ${stage.tool} does not allow it`);
			else notes.flag('--model', models.refusal(stage.tool, model) + keptHint(input, 'force_task_provider', 'provider', 'model'));
		}
		return `not allowed for ${stage.tool}`;
	});
}

/** `allowed_models` limits what a manifest names; a legacy type model may belong to another servant altogether. */
export function checkModel({ input, models }: Situation, stage: RoutedStage, choice: ModelChoice, notes: Notes): void {
	const { winner, value, source } = choice.walked;
	const { tool } = stage;
	if (value !== null && (winner === choice.override || winner === choice.ofManifest) && !models.allows(tool, value)) {
		const at = winner === choice.override ? ['routing', 'stages', stage.overrideKey!, 'model'] : ['model'];
		notes.manifest(at, models.refusal(tool, value));
	}
	const { refused } = choice.ofManifest;
	if (refused && !input.flags.model)
		notes.warn(
			`model ${input.manifest.model} of the manifest is not used for ${stage.name}: ${refused}; routing.model.${tool} would count`,
			{ at: ['model'] },
		);
	// Only the candidate that would count of the two layers.
	const legacy = choice.legacyType.find((candidate) => candidate.value);
	// A recording that is replayed takes any.
	if (legacy?.value === undefined || tool === 'replay') return;
	if (models.misfit(tool, legacy.value) === null || models.owners(tool, legacy.value).length === 0) return;
	const type = input.manifest.task_type!;
	const problem = `task_types.${type}.model: ${models.refusal(tool, legacy.value)}`;
	if (winner === legacy) notes.config(source, problem);
	// Where configuration itself routes the type to this tool, it warns of it, at its line.
	else if (input.config.merged.dispatch.task_providers?.[type] !== tool)
		notes.warn(`${problem} (not used in this plan)`, { source: legacy.source() });
}

/** The manifest's `model` is for routed stages: who writes it where there are none must hear it before another model is paid. */
export function warnOfUnusedModel(
	{ input, choice }: Situation,
	stages: readonly (RoutedStage & { readonly model: string | null })[],
	notes: Notes,
): void {
	const { model } = input.manifest;
	if (!model || stages.some((stage) => stage.fixedTool === null) || stages.every((stage) => stage.model === model)) return;
	const why = `every stage of profile "${choice.name}" has its tool in its name`;
	notes.warn(`model ${model} of the manifest is not used: ${why}; routing.model.<tool> would count`, { at: ['model'] });
}
