import type { PlannedStage } from '../contract/plan.ts';
import { allowedModels } from './allowed-models.ts';
import { chooseProfile } from './choose-profile.ts';
import { knownTools } from './known-tools.ts';
import { readStage } from './name-stages.ts';
import { newNotes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';
import { refuseForeign, resolveModel } from './resolve-model.ts';
import { resolveStage } from './resolve-stage.ts';
import { overrideKeyOf } from './route-stages.ts';
import type { Situation } from './situation.ts';
import { said, sourceOf, walk } from './walk.ts';

/**
 * A planned stage on another tool, when its own is unusable. It keeps its name, so that its files stay together; model and
 * effort are the new tool's. In the middle of a run nothing may fail: a model that the new tool does not allow is passed over.
 */
export function resolveStageFor(tool: string, input: PlanInput, stage: PlannedStage): PlannedStage {
	const choice = chooseProfile(input, newNotes());
	const read = readStage(stage.written, input.roles, knownTools(input.config));
	const fallback = stage.fallback.filter((other) => other !== tool);
	// Configuration changed so far under the run that the stage is gone from it: only the tool's name is sure.
	if (choice === null || typeof read === 'string') return { ...stage, tool, model: null, effort: null, fallback };
	const situation: Situation = { input, choice, models: allowedModels(input.config) };
	const again = {
		...read,
		written: stage.written,
		index: choice.stages.indexOf(stage.written),
		tool,
		name: stage.name,
		overrideKey: overrideKeyOf(situation, stage.written, [stage.name]),
		ownOverride: false,
		ownEntries: false,
	};
	const source = () => `fallback of ${stage.tool} (${sourceOf(input.config, ['servants', stage.tool, 'fallback'])})`;
	const { planned } = resolveStage(situation, again, {
		tool: walk([said('fallback', tool, source)]),
		model: resolveModel(situation, again, refuseForeign(situation, tool)),
		needs: stage.needs,
	});
	return { ...planned, fallback };
}
