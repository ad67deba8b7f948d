import type { Config } from '../contract/config.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { hint } from '../contract/suggest.ts';
import { allowedModels } from './allowed-models.ts';
import { knownTools } from './known-tools.ts';

export interface FlagFault {
	readonly flag: string;
	readonly message: string;
}

/** What is wrong with routing flags whatever packet they are for: a servant nobody knows, a model that none of them could take. */
export function flagFaults(config: Config, { provider, force_task_provider: forced, model }: PlanFlags): FlagFault[] {
	const tools = knownTools(config);
	const named = Object.entries({ '--force-task-provider': forced, '--provider': provider });
	const unknown = named.flatMap(([flag, tool]) =>
		tool && !tools.has(tool) ? [{ flag, message: `unknown servant "${tool}"${hint(tool, tools)}` }] : [],
	);
	if (!model || unknown.length > 0) return unknown;
	const { allows, refusal } = allowedModels(config);
	const meant = forced || provider;
	if (meant) return allows(meant, model) ? [] : [{ flag: '--model', message: refusal(meant, model) }];
	// A recording that is replayed takes any.
	const takers = Object.keys(config.merged.servants).filter((tool) => tool !== 'replay' && allows(tool, model));
	return takers.length > 0 ? [] : [{ flag: '--model', message: `model "${model}" is not allowed for any servant` }];
}
