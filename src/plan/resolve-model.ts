import { own } from '../contract/own.ts';
import { flagSource } from './keep-flags.ts';
import { fromOverride } from './override.ts';
import type { RoutedStage, Situation } from './situation.ts';
import { fromProfile } from './situation.ts';
import type { Candidate, Walked } from './walk.ts';
import { configured, said, walk } from './walk.ts';

export interface ModelChoice {
	readonly walked: Walked<string>;
	/** Candidates by what may be wrong with them. */
	readonly override: Candidate<string>;
	readonly ofManifest: Candidate<string>;
	readonly legacyType: readonly Candidate<string>[];
}

/** Why a candidate is passed over although it names a model, or null. `tool`: it names the model for this very tool. */
export type Refuse = (by: 'flag' | 'manifest' | 'tool' | 'legacy', model: string) => string | null;

/** On a tool that a stage was not routed to, what was meant for another servant is passed over: nothing may fail for it. */
export function refuseForeign({ models }: Situation, tool: string): Refuse {
	return (by, model) => {
		if (by === 'tool') return models.allows(tool, model) ? null : `not allowed for ${tool}`;
		return by === 'legacy' && models.owners(tool, model).length === 0 ? null : models.misfit(tool, model);
	};
}

/** The model of a stage on its tool; none means the CLI's own default. */
export function resolveModel(situation: Situation, stage: RoutedStage, refuse: Refuse): ModelChoice {
	const { manifest, manifestSource, config, flags, env } = situation.input;
	const { tool, written } = stage;
	const type = manifest.task_type;
	const { purpose } = stage.contract;
	const judged = (by: Parameters<Refuse>[0], candidate: Candidate<string>): Candidate<string> =>
		candidate.value ? { ...candidate, refused: refuse(by, candidate.value) } : candidate;
	const override = fromOverride(situation, stage, 'model');
	const routedModel = stage.fixedTool === null ? manifest.model : undefined;
	const ofManifest = judged(
		'manifest',
		said('model of the manifest', routedModel, () => manifestSource(['model'])),
	);
	const legacy = (...path: readonly string[]) =>
		configured<string>(config, path.join('.'), ['dispatch', ...path]).map((candidate) => judged('legacy', candidate));
	const legacyType = type ? legacy('task_types', type, 'model') : [];
	const walked = walk<string>([
		...(stage.ownOverride ? [override] : []),
		judged(
			'flag',
			said('--model', flags.model, () => flagSource(situation.input, 'model')),
		),
		ofManifest,
		judged(
			'tool',
			said(`routing.model.${tool}`, own(manifest.routing?.model, tool), () => manifestSource(['routing', 'model', tool])),
		),
		...(stage.ownEntries ? fromProfile<string>(situation, `stage_models.${written}`, ['stage_models', written]) : []),
		...(type
			? configured<string>(config, `providers.${tool}.task_types.${type}.model`, ['servants', tool, 'task_types', type, 'model'])
			: []),
		...configured<string>(config, `purpose_models.${purpose}`, ['servants', tool, 'purpose_models', purpose]),
		...configured<string>(config, 'default_model', ['servants', tool, 'default_model']),
		...legacyType,
		...legacy('model'),
		...legacy('defaults', 'model'),
		judged(
			'legacy',
			said('DISPATCH_MODEL', env.DISPATCH_MODEL, () => 'DISPATCH_MODEL'),
		),
	]);
	return { walked, override, ofManifest, legacyType };
}
