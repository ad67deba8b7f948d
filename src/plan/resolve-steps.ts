import { fromOverride } from './override.ts';
import type { RoutedStage, Situation } from './situation.ts';
import { fromProfile } from './situation.ts';
import type { Walked } from './walk.ts';
import { builtIn, configured, said, walk } from './walk.ts';

/** How many steps an attempt may take. The legacy `max_turns` stands right behind the `max_steps` of its place. */
export function resolveSteps(situation: Situation, stage: RoutedStage): Walked<number> {
	const { manifest, manifestSource, config } = situation.input;
	const { tool, written } = stage;
	const type = manifest.task_type;
	const from = (level: string, ...path: string[]) => configured<number>(config, level, path);
	return walk<number>([
		fromOverride(situation, stage, 'max_steps'),
		said('budgets.max_steps', manifest.budgets?.max_steps, () => manifestSource(['budgets', 'max_steps'])),
		...fromProfile<number>(situation, `stage_max_steps.${written}`, ['stage_max_steps', written]),
		...(type ? from(`providers.${tool}.task_types.${type}.max_steps`, 'servants', tool, 'task_types', type, 'max_steps') : []),
		...(type ? from(`providers.${tool}.task_types.${type}.max_turns`, 'servants', tool, 'task_types', type, 'max_turns') : []),
		...from(`max_steps of ${tool}`, 'servants', tool, 'max_steps'),
		...from(`max_turns of ${tool}`, 'servants', tool, 'max_turns'),
		...(type ? from(`task_types.${type}.max_steps`, 'dispatch', 'task_types', type, 'max_steps') : []),
		...(type ? from(`task_types.${type}.max_turns`, 'dispatch', 'task_types', type, 'max_turns') : []),
		...from('max_steps', 'dispatch', 'max_steps'),
		...from('defaults.max_steps', 'dispatch', 'defaults', 'max_steps'),
		...from('max_turns', 'dispatch', 'max_turns'),
		...from('defaults.max_turns', 'dispatch', 'defaults', 'max_turns'),
		builtIn('50', 50),
	]);
}
