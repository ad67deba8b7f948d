import type { Config } from '../contract/config.ts';
import { own } from '../contract/own.ts';

/** Which models a manifest or a flag may name for a tool. */
export interface AllowedModels {
	readonly allows: (tool: string, model: string) => boolean;
	/** Why not, with the servant that would allow it. */
	readonly refusal: (tool: string, model: string) => string;
	/** Why a model that was meant for another servant must not go to this one, or null. */
	readonly misfit: (tool: string, model: string) => string | null;
	/** Other servants whose allowed list has it. */
	readonly owners: (tool: string, model: string) => readonly string[];
}

export function allowedModels(config: Config): AllowedModels {
	const { servants } = config.merged;
	const owners = (tool: string, model: string) =>
		Object.keys(servants).filter((other) => other !== tool && servants[other]?.allowed_models?.includes(model));
	const lists = new Map<string, ReadonlySet<string> | null>();
	const listOf = (tool: string) => {
		if (!lists.has(tool)) {
			const listed = own(servants, tool)?.allowed_models;
			// What is named for no servant in particular may be meant for another one.
			const general = () => namedForAll(config).filter((model) => owners(tool, model).length === 0);
			lists.set(tool, listed === undefined ? null : new Set([...listed, ...namedFor(config, tool), ...general()]));
		}
		return lists.get(tool) ?? null;
	};
	const allows = (tool: string, model: string) => listOf(tool)?.has(model) ?? true;
	return {
		allows,
		misfit: (tool, model) => {
			if (!allows(tool, model)) return `not allowed for ${tool}`;
			const others = listOf(tool) === null ? owners(tool, model) : [];
			return others.length > 0 ? `one of ${others.join(', ')}, not of ${tool}` : null;
		},
		owners,
		refusal: (tool, model) => {
			const others = owners(tool, model);
			const list = listOf(tool);
			const allowed = list === null ? `${tool} has no allowed_models` : `${tool} allows ${[...list].join(', ') || 'none'}`;
			return others.length > 0
				? `provider/model mismatch: model "${model}" is one of ${others.join(', ')}, not of ${tool}; ${allowed}`
				: `model "${model}" is not allowed for ${tool}; ${allowed}`;
		},
	};
}

/** What configuration names for the tool: a model is allowed by being named. */
function namedFor(config: Config, tool: string): readonly string[] {
	const { default_model, purpose_models = {}, task_types = {} } = own(config.merged.servants, tool) ?? {};
	const types = Object.values(task_types).map((type) => type?.model);
	const stages = stageModels(config).filter(([stage]) => stage.startsWith(`${tool}_`));
	return present([default_model, ...Object.values(purpose_models), ...types, ...stages.map(([, model]) => model)]);
}

/** What configuration names without a tool: the legacy keys, and models of stages that are routed. */
function namedForAll(config: Config): readonly string[] {
	const { servants, dispatch } = config.merged;
	const types = Object.values(dispatch.task_types ?? {}).map((type) => type?.model);
	const stages = stageModels(config).filter(([stage]) => own(servants, stage.split('_')[0]!) === undefined);
	return present([dispatch.model, dispatch.defaults?.model, ...types, ...stages.map(([, model]) => model)]);
}

function stageModels({ merged }: Config): readonly (readonly [stage: string, model: string])[] {
	const profiles = Object.values(merged.pipelines).flatMap((group) => Object.values(group.profiles ?? {}));
	return profiles.flatMap((profile) => Object.entries(profile.stage_models ?? {}));
}

const present = (models: readonly (string | undefined)[]): readonly string[] =>
	models.filter((model): model is string => model !== undefined && model !== '');
