import { Manifest } from '../contract/manifest.ts';
import { suggest } from '../contract/suggest.ts';
import { TaskId, TaskType } from '../contract/words.ts';
import { type LoadedManifest, loadedFrom } from './load-manifest.ts';
import { manifestMeaning } from './manifest-meaning.ts';
import { readYaml } from './read-yaml.ts';
import { misspelt, takeOut, wrongPaths } from './salvage.ts';
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
	const issues = Manifest.safeParse(value).error?.issues ?? [];
	const slips = issues.flatMap((issue) => misspelt(Manifest, issue));
	const wrong = issues.flatMap(wrongPaths);
	const spoilt: readonly YamlPath[] = [
		...manifestMeaning(yaml.value, id).map(({ path }) => path),
		...wrong,
		...slips.map(({ near }) => near),
	];
	const route = spoilt.some((path) => path.join('.') === 'routing') ? null : probableRoute(value, slips);
	for (const path of wrong) takeOut(value, path);
	for (const path of [['task_type'], ['routing', 'intent']]) takeOut(value, path);
	if (route !== null) {
		if (route.type !== undefined) value.task_type = route.type;
		if (route.intent !== undefined) value.routing = { ...(value.routing as object), intent: route.intent };
	}
	const { data: manifest } = Manifest.safeParse({ ...value, task_id: id, goal: 'unknown' });
	if (manifest === undefined) return null;
	const lists = spoilt.map((path) => (Array.isArray(valueAt(yaml.value, path.slice(0, -1))) ? path.slice(0, -1) : path));
	const { unclear = [] } = yaml;
	// Whether a model is allowed is a question of the tool, and the type routes.
	const toolUnknown =
		spoilt.some((path) => path.at(-1) === 'provider' || covers(path, ['routing', 'stages'])) ||
		(manifest.task_type === undefined && spoilt.some((path) => path.length > 0 && covers(path, ['task_type'])));
	return {
		loaded: loadedFrom(yaml, manifest),
		// Of a key that stands twice one value is lost: then nothing can be called missing.
		isSpoilt: (path) =>
			(path.length === 0 && route === null) ||
			(path.at(-1) === 'model' && toolUnknown) ||
			(unclear.some((place) => covers(place, path)) && !yaml.has(path)) ||
			lists.some((wrong) => wrong.length > 0 && covers(wrong, path)),
	};
}

interface Route {
	readonly type?: TaskType | undefined;
	readonly intent?: string | undefined;
}

/** The type and the intent that are written or were probably meant; null if with what is known no profile can be chosen. */
function probableRoute(value: object, slips: ReturnType<typeof misspelt>): Route | null {
	const said = (...path: string[]): unknown => {
		const slip = slips.find(({ near }) => near.join('.') === path.join('.'));
		return valueAt(value, path) ?? (slip && valueAt(value, slip.path));
	};
	const [type, intent] = [said('task_type'), said('routing', 'intent')];
	const known = TaskType.safeParse(type);
	const meant = known.data ?? (typeof type === 'string' ? TaskType.safeParse(suggest(type, TaskType.options)).data : undefined);
	if (typeof intent === 'string') return { type: meant, intent };
	return intent === undefined && meant !== undefined ? { type: meant } : null;
}

const covers = (upper: YamlPath, path: YamlPath): boolean =>
	upper.length <= path.length && upper.every((step, i) => String(step) === String(path[i]));
