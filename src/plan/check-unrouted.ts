import { groupFlags } from '../contract/pipeline-file.ts';
import { hint } from '../contract/suggest.ts';
import { everyOption, valueProblem } from './check-options.ts';
import { knownTools } from './known-tools.ts';
import { readStage } from './name-stages.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';

/** What is wrong with the routing of a manifest whatever its profile turns out to be. */
export function checkUnrouted({ manifest, config, roles }: PlanInput, notes: Notes): void {
	const { stages = {}, pipeline = {} } = manifest.routing ?? {};
	const { profile, flags = {}, options = {} } = pipeline;
	const profiles = Object.values(config.merged.pipelines).flatMap((group) => Object.keys(group.profiles ?? {}));
	const absent = (kind: string, name: string, known: readonly string[]) => `no group has ${kind} "${name}"${hint(name, known)}`;

	if (profile && !profiles.includes(profile)) notes.manifest(['routing', 'pipeline', 'profile'], absent('profile', profile, profiles));
	const knownFlags = [...new Set(Object.values(groupFlags).flat())];
	for (const name of Object.keys(flags)) {
		if (!knownFlags.includes(name)) notes.manifest(['routing', 'pipeline', 'flags', name], absent('flag', name, knownFlags), 'key');
	}
	const knownOptions = everyOption();
	for (const [name, value] of Object.entries(options)) {
		const at = ['routing', 'pipeline', 'options', name];
		const problem = valueProblem(knownOptions, name, value);
		if (problem === undefined) notes.manifest(at, absent('option', name, Object.keys(knownOptions)), 'key');
		else if (problem !== null) notes.manifest(at, problem);
	}
	const tools = knownTools(config);
	for (const name of Object.keys(stages)) {
		const read = readStage(name, roles, tools);
		if (typeof read === 'string') notes.manifest(['routing', 'stages', name], read, 'key');
	}
}
