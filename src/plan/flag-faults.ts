import type { Config } from '../contract/config.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { hint } from '../contract/suggest.ts';
import { allowedModels } from './allowed-models.ts';
import { knownTools } from './known-tools.ts';
import type { PlanFailure, PlanInput } from './plan-input.ts';

export interface FlagFault {
	readonly exit: PlanFailure['exit'];
	/** The flag, or the variable. */
	readonly flag: string;
	readonly message: string;
}

/**
 * What is wrong with routing flags and environment whatever packet they are for: a servant nobody knows, a model that none of them could
 * take.
 */
export function flagFaults(
	config: Config,
	{ provider, force_task_provider: forced, model }: PlanFlags,
	env: PlanInput['env'] = {},
): FlagFault[] {
	const tools = knownTools(config);
	const unknown = (exit: FlagFault['exit'], flag: string, tool: string | undefined): FlagFault[] =>
		tool && !tools.has(tool) ? [{ exit, flag, message: `unknown servant "${tool}"${hint(tool, tools)}` }] : [];
	const named = [
		...unknown(2, '--force-task-provider', forced),
		...unknown(2, '--provider', provider),
		...unknown(3, 'DISPATCH_PROVIDER', env.DISPATCH_PROVIDER),
	];
	return named.length > 0 || !model ? named : modelFaults(config, forced || provider, model);
}

function modelFaults(config: Config, meant: string | undefined, model: string): FlagFault[] {
	const { allows, refusal } = allowedModels(config);
	const fault = (message: string): FlagFault => ({ exit: 2, flag: '--model', message });
	if (meant) return allows(meant, model) ? [] : [fault(refusal(meant, model))];
	// A recording that is replayed takes any.
	const takers = Object.keys(config.merged.servants).filter((tool) => tool !== 'replay' && allows(tool, model));
	return takers.length > 0 ? [] : [fault(`model "${model}" is not allowed for any servant`)];
}
