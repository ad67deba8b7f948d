import { fromOverride } from './override.ts';
import type { RoutedStage, Situation } from './situation.ts';
import { fromProfile } from './situation.ts';
import type { Candidate, Walked } from './walk.ts';
import { configured, walk } from './walk.ts';

/** The reasoning effort of a stage on its tool; none means the CLI's own default. */
export function resolveEffort(situation: Situation, stage: RoutedStage): Walked<string> {
	const { config } = situation.input;
	const { purpose } = stage.contract;
	return walk<string>([
		...stageEfforts(situation, stage),
		...configured<string>(config, `purpose_efforts.${purpose}`, ['servants', stage.tool, 'purpose_efforts', purpose]),
		...configured<string>(config, 'wrapper_defaults.effort', ['servants', stage.tool, 'wrapper_defaults', 'effort']),
	]);
}

/** What is written for the stage itself. */
export function stageEfforts(situation: Situation, stage: RoutedStage): readonly Candidate<string>[] {
	return [
		...(stage.ownOverride ? [fromOverride(situation, stage, 'effort')] : []),
		...(stage.ownEntries ? fromProfile<string>(situation, `stage_efforts.${stage.written}`, ['stage_efforts', stage.written]) : []),
	];
}
