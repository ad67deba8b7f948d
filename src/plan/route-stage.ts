import { own } from '../contract/own.ts';
import { flagSource } from './keep-flags.ts';
import { stageSource } from './name-stages.ts';
import type { Situation, WrittenStage } from './situation.ts';
import type { Candidate, Walked } from './walk.ts';
import { builtIn, configured, said, walk } from './walk.ts';

export interface Route {
	readonly walked: Walked<string>;
	readonly tool: string;
	/** What the tool would be without `--force-task-provider`. */
	readonly unforced: string;
	/** Whether the tool is the one that the profile's entries for the stage were written for. */
	readonly asWritten: boolean;
}

/** The tool of one stage: the one in its name, or the first that anything names for it. */
export function routeStage(situation: Situation, stage: WrittenStage): Route {
	const { flags } = situation.input;
	const force = said('--force-task-provider', flags.force_task_provider, () => flagSource(situation.input, 'force_task_provider'));
	const rest = [
		overrideOf(situation, stage),
		...(stage.fixedTool === null ? routes(situation) : [nameOf(situation, stage, stage.fixedTool)]),
	];
	const walked = walk([force, ...rest]);
	const tool = walked.value!;
	const unforced = flags.force_task_provider ? walk(rest).value! : tool;
	return { walked, tool, unforced, asWritten: tool === (stage.fixedTool ?? unforced) };
}

function overrideOf({ input }: Situation, { written }: WrittenStage): Candidate<string> {
	const path = ['routing', 'stages', written, 'provider'];
	return said(path.join('.'), own(input.manifest.routing?.stages, written)?.provider, () => input.manifestSource(path));
}

function nameOf(situation: Situation, stage: WrittenStage, tool: string): Candidate<string> {
	return said("the stage's name", tool, () => stageSource(situation, stage.index));
}

function routes({ input }: Situation): readonly Candidate<string>[] {
	const { manifest, config, flags, env } = input;
	const type = manifest.task_type;
	return [
		said('provider of the manifest', manifest.provider, () => input.manifestSource(['provider'])),
		said('--provider', flags.provider, () => flagSource(input, 'provider')),
		...(type ? configured<string>(config, `task_providers.${type}`, ['dispatch', 'task_providers', type]) : []),
		said('DISPATCH_PROVIDER', env.DISPATCH_PROVIDER, () => 'DISPATCH_PROVIDER'),
		...configured<string>(config, 'provider', ['dispatch', 'provider']),
		builtIn('claude', 'claude'),
	];
}
