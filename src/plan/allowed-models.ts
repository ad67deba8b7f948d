import type { Config } from '../contract/config.ts';
import { own } from '../contract/own.ts';

/** Which models a manifest or a flag may name for a tool. */
export interface AllowedModels {
	readonly allows: (tool: string, model: string) => boolean;
	/** Why not, with the servant that would allow it. */
	readonly refusal: (tool: string, model: string) => string;
	/** Other servants whose allowed list has it. */
	readonly owners: (tool: string, model: string) => readonly string[];
}

export function allowedModels(config: Config): AllowedModels {
	const lists = new Map<string, ReadonlySet<string> | null>();
	const listOf = (tool: string) => {
		if (!lists.has(tool)) lists.set(tool, namedFor(config, tool));
		return lists.get(tool) ?? null;
	};
	const owners = (tool: string, model: string) =>
		Object.keys(config.merged.servants).filter((other) => other !== tool && config.merged.servants[other]?.allowed_models?.includes(model));
	return {
		allows: (tool, model) => listOf(tool)?.has(model) ?? true,
		owners,
		refusal: (tool, model) => {
			const others = owners(tool, model);
			const allowed = `${tool} allows ${[...(listOf(tool) ?? [])].join(', ') || 'none'}`;
			return others.length > 0
				? `provider/model mismatch: model "${model}" is one of ${others.join(', ')}, not of ${tool}; ${allowed}`
				: `model "${model}" is not allowed for ${tool}; ${allowed}`;
		},
	};
}

/** The allowed list with all that configuration itself names for the tool; null where there is no list and so no limit. */
function namedFor(config: Config, tool: string): ReadonlySet<string> | null {
	const file = own(config.merged.servants, tool);
	if (file?.allowed_models === undefined) return null;
	const types = Object.values(file.task_types ?? {}).map((type) => type?.model);
	const named = [...file.allowed_models, file.default_model, ...Object.values(file.purpose_models ?? {}), ...types];
	for (const group of Object.values(config.merged.pipelines)) {
		for (const profile of Object.values(group.profiles ?? {})) {
			for (const [stage, model] of Object.entries(profile.stage_models ?? {})) {
				if (stage.startsWith(`${tool}_`)) named.push(model);
			}
		}
	}
	return new Set(named.filter((model): model is string => model !== undefined && model !== ''));
}
