import { Manifest } from '../contract/manifest.ts';
import { suggest } from '../contract/suggest.ts';
import { TaskId } from '../contract/words.ts';
import { type LoadedManifest, loadedFrom } from './load-manifest.ts';
import { manifestMeaning } from './manifest-meaning.ts';
import { readYaml } from './read-yaml.ts';
import { takeOut } from './salvage.ts';
import { knownKeys, schemaAt } from './schema-walk.ts';
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
	const spoilt: YamlPath[] = manifestMeaning(yaml, id).map(({ path }) => path);
	for (const issue of Manifest.safeParse(value).error?.issues ?? []) {
		const path = issue.path.map(String);
		const wrong = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
		for (const each of wrong) takeOut(value, each);
		spoilt.push(...wrong);
		if (issue.code === 'unrecognized_keys') spoilt.push(...issue.keys.flatMap((key) => meant(path, key)));
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

/** What a misspelt key was meant to be is not missing. */
function meant(path: readonly string[], key: string): YamlPath[] {
	const here = schemaAt(Manifest, path);
	const near = suggest(key, (here && knownKeys(here)) ?? []);
	return near === null ? [] : [[...path, near]];
}

const covers = (upper: YamlPath, path: YamlPath): boolean =>
	upper.length <= path.length && upper.every((step, i) => String(step) === String(path[i]));
