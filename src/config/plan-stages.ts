import type { ConfigLayer } from '../contract/config.ts';

/**
 * Files of the original system (`version: 1`) could not name the stages of a plan, which were the same for all profiles of the group. So a
 * profile of theirs without stages has the package's. Anywhere else it is a mistake, such as a misspelt name.
 */
export function withPlanStages(merged: ConfigLayer, shipped: ConfigLayer): ConfigLayer {
	const { stages, needs } = shipped.pipelines.plan?.profiles?.standard ?? {};
	const { plan } = merged.pipelines;
	if (stages === undefined || plan?.version !== 1) return merged;
	const profiles = Object.assign(Object.create(null), plan.profiles);
	for (const [name, profile] of Object.entries(plan.profiles ?? {})) {
		if (profile.stages === undefined) profiles[name] = { stages, needs, ...profile };
	}
	return { ...merged, pipelines: Object.assign(Object.create(null), merged.pipelines, { plan: { ...plan, profiles } }) };
}
