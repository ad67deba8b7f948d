import { own } from '../contract/own.ts';
import { knownTools } from '../plan/known-tools.ts';
import { readStage } from '../plan/name-stages.ts';
import type { Project } from '../run/project.ts';

/** The servants that the default profiles call: those named in their stages, and those that routed stages go to. */
export function neededTools({ config, roles }: Project, env: Readonly<Record<string, string | undefined>>): Set<string> {
	const { pipelines, dispatch } = config.merged;
	const tools = knownTools(config);
	const routed = env.DISPATCH_PROVIDER || dispatch.provider || 'claude';
	const needed = new Set(Object.values(dispatch.task_providers ?? {}));
	for (const { default_profile, profiles } of Object.values(pipelines)) {
		const stages = default_profile === undefined ? [] : (own(profiles, default_profile)?.stages ?? []);
		for (const written of stages) {
			const stage = readStage(written, roles.roles, tools);
			if (typeof stage !== 'string') needed.add(stage.fixedTool ?? routed);
		}
	}
	return needed;
}
