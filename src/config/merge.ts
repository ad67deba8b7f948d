import type { ConfigLayer } from '../contract/config.ts';
import type { PipelineFile, Profile } from '../contract/pipeline-file.ts';

export const emptyLayer: ConfigLayer = { servants: {}, pipelines: {}, dispatch: {} };

/** `upper` over `lower`: maps merge deeply, lists and scalars are replaced, a profile that gives `stages` replaces the one below whole. */
export function mergeLayers(lower: ConfigLayer, upper: ConfigLayer): ConfigLayer {
	return {
		servants: mergeEntries(lower.servants, upper.servants, mergeMaps),
		pipelines: mergeEntries(lower.pipelines, upper.pipelines, mergePipelines),
		dispatch: mergeMaps(lower.dispatch, upper.dispatch),
	};
}

export function mergePipelines(lower: PipelineFile, upper: PipelineFile): PipelineFile {
	const merged = mergeMaps<PipelineFile>({ ...lower, profiles: undefined }, { ...upper, profiles: undefined });
	if (lower.profiles === undefined && upper.profiles === undefined) return merged;
	return Object.assign(merged, { profiles: mergeEntries(lower.profiles ?? {}, upper.profiles ?? {}, mergeProfiles) });
}

function mergeProfiles(lower: Profile, upper: Profile): Profile {
	return mergeMaps(upper.stages === undefined ? lower : {}, upper);
}

export function mergeMaps<T extends object>(lower: T, upper: T): T {
	return mergeEntries(asMap(lower), asMap(upper), (below, above) => {
		return isMap(below) && isMap(above) ? mergeMaps(below, above) : copied(above);
	}) as T;
}

/**
 * Names are users' words, so the result has no prototype on which `constructor` could be found. The lower layer's order
 * stays; what is new comes after.
 */
function mergeEntries<V>(
	lower: Readonly<Record<string, V>>,
	upper: Readonly<Record<string, V>>,
	both: (lower: V, upper: V) => V,
): Record<string, V> {
	const result: Record<string, V> = Object.create(null);
	for (const [key, value] of Object.entries(lower)) if (value !== undefined) result[key] = copied(value);
	for (const [key, value] of Object.entries(upper)) {
		if (value !== undefined) result[key] = key in result ? both(result[key]!, value) : copied(value);
	}
	return result;
}

function copied<V>(value: V): V {
	return isMap(value) ? (mergeMaps(Object.create(null), value) as V) : value;
}

function isMap(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const asMap = (value: object) => value as Record<string, unknown>;
