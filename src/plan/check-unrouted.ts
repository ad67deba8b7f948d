import { groupFlags, groupOptions } from '../contract/pipeline-file.ts';
import { hint } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';

/** What is wrong with the flags and options of a manifest whatever its profile turns out to be. */
export function checkUnrouted({ manifest }: PlanInput, notes: Notes): void {
	const { flags = {}, options = {} } = manifest.routing?.pipeline ?? {};
	const knownFlags = new Set(Object.values(groupFlags).flat());
	const knownOptions = new Set(Object.values(groupOptions).flatMap((group) => Object.keys(group)));
	const check = (kind: 'flag' | 'option', names: readonly string[], known: ReadonlySet<string>) => {
		for (const name of names) {
			if (!known.has(name))
				notes.manifest(['routing', 'pipeline', `${kind}s`, name], `no group has ${kind} "${name}"${hint(name, known)}`, 'key');
		}
	};
	check('flag', Object.keys(flags), knownFlags);
	check('option', Object.keys(options), knownOptions);
}
