import { effortProblem } from '../contract/effort-words.ts';
import { own } from '../contract/own.ts';
import type { Notes } from './notes.ts';
import { stageEfforts } from './resolve-effort.ts';
import type { RoutedStage, Situation } from './situation.ts';

/** An effort written for a stage fits the servant the stage has. Those of servant files were checked with them. */
export function checkEffort(situation: Situation, stage: RoutedStage, notes: Notes): void {
	const written = stageEfforts(situation, stage).find(({ value, layer }) => value && layer === 'user');
	if (written === undefined) return;
	const problem = effortProblem(stage.tool, own(situation.input.config.merged.servants, stage.tool), written.value);
	if (problem === null) return;
	const override = own(situation.input.manifest.routing?.stages, stage.overrideKey ?? '')?.effort;
	if (problem.level === 'warning') notes.warn(`${problem.message} (${stage.name}, ${written.source()})`);
	else if (stage.ownOverride && override) notes.manifest(['routing', 'stages', stage.overrideKey!, 'effort'], problem.message);
	else notes.config(written.source(), problem.message);
}
