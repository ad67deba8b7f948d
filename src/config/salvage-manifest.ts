import { Manifest } from '../contract/manifest.ts';
import { TaskId } from '../contract/words.ts';
import { type LoadedManifest, loadedFrom } from './load-manifest.ts';
import { manifestMeaning } from './manifest-meaning.ts';
import { readYaml } from './read-yaml.ts';
import { meantPaths, takeOut, wrongPaths } from './salvage.ts';
import { valueAt } from './value-at.ts';
import { withoutAbsent } from './without-absent.ts';
import type { YamlPath } from './yaml-node.ts';

export interface SalvagedManifest {
	readonly loaded: LoadedManifest;
	/** Whether a complaint about a path, or about what follows from it, would only repeat what is wrong already. */
	readonly isSpoilt: (path: YamlPath) => boolean;
}

/**
 * What is right of a wrong manifest, so that the plan and the chain can be looked at all the same; null if nothing is.
 * Never to be run: what is missing is made up.
 */
export function salvageManifest(text: string | Uint8Array, file: string, id: string): SalvagedManifest | null {
	const yaml = readYaml(text, file);
	if (yaml.value === undefined) return null;
	const value = withoutAbsent(Manifest, yaml.value) as Record<string, unknown>;
	// The chain passes over what depends on itself, and the other entries keep their places.
	if (Array.isArray(value.depends_on)) value.depends_on = value.depends_on.map((one) => (TaskId.safeParse(one).success ? one : id));
	let spoilt: readonly YamlPath[] = manifestMeaning(yaml, id).map(({ path }) => path);
	for (const issue of Manifest.safeParse(value).error?.issues ?? []) {
		const wrong = wrongPaths(issue);
		for (const path of wrong) takeOut(value, path);
		spoilt = spoilt.concat(wrong, meantPaths(Manifest, issue));
	}
	const routed = !spoilt.some((path) => covers(path, ['routing', 'intent']) || covers(path, ['task_type']));
	if (!routed) {
		takeOut(value, ['task_type']);
		takeOut(value, ['routing', 'intent']);
	}
	const { data: manifest } = Manifest.safeParse({ ...value, task_id: id, goal: 'unknown' });
	if (manifest === undefined) return null;
	const lists = spoilt.map((path) => (Array.isArray(valueAt(yaml.value, path.slice(0, -1))) ? path.slice(0, -1) : path));
	const unclear = yaml.complaints.length > 0;
	// Whether a model is allowed is a question of the tool.
	const toolUnknown = spoilt.some((path) => path.at(-1) === 'provider' || covers(path, ['routing', 'stages']));
	return {
		loaded: loadedFrom(yaml, manifest),
		// Of a key that stands twice one value is lost: then nothing can be called missing.
		isSpoilt: (path) =>
			(path.length === 0 && !routed) ||
			(path.at(-1) === 'model' && toolUnknown) ||
			(unclear && !yaml.has(path)) ||
			lists.some((wrong) => wrong.length > 0 && covers(wrong, path)),
	};
}

const covers = (upper: YamlPath, path: YamlPath): boolean =>
	upper.length <= path.length && upper.every((step, i) => String(step) === String(path[i]));
