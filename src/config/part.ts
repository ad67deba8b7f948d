import type { Complaint } from '../contract/complaint.ts';
import type { ConfigLayer, ConfigPath } from '../contract/config.ts';
import type { DispatchFile } from '../contract/dispatch-file.ts';
import type { PipelineFile } from '../contract/pipeline-file.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { complainAt, type Where } from './complain-at.ts';
import { mergeMaps, mergePipelines } from './merge.ts';
import { valueAt } from './value-at.ts';
import type { ReadYaml } from './yaml-reading.ts';

/** What one file says about one servant, one pipeline or the dispatcher, and where in the file it says it. */
export interface Part {
	/** Its place in a layer: `['servants', 'codex']`, `['pipelines', 'review']`, `['dispatch']`. */
	readonly at: ConfigPath;
	readonly value: Readonly<Record<string, unknown>>;
	readonly yaml: ReadYaml;
	/** Its place in the file: `[]`, or `['providers', 'codex']`. */
	readonly inFile: ConfigPath;
}

/** The layer that parts make, the later over the earlier. */
export function layerOf(parts: readonly Part[]): ConfigLayer {
	const servants: Record<string, ServantFile> = Object.create(null);
	const pipelines: Record<string, PipelineFile> = Object.create(null);
	let dispatch: DispatchFile = Object.create(null);
	for (const {
		at: [kind, name],
		value,
	} of parts) {
		if (kind === 'servants') servants[name!] = mergeMaps(servants[name!] ?? {}, value as ServantFile);
		else if (kind === 'pipelines') pipelines[name!] = mergePipelines(pipelines[name!] ?? {}, value as PipelineFile);
		else dispatch = mergeMaps(dispatch, value as DispatchFile);
	}
	return { servants, pipelines, dispatch };
}

/** A complaint about a path below the part's own place. */
export function complainOf(part: Part, below: readonly (string | number)[], message: string, where: Where = {}): Complaint {
	return complainAt(part.yaml, pathInFile(part, below), message, where);
}

/** The part that a value of the merged configuration comes from. */
export type Winner = (path: ConfigPath) => Part | undefined;

export function winnerAmong(parts: readonly Part[]): Winner {
	const index = new Map<string, Part[]>();
	for (const part of parts) {
		const key = indexKey(part.at);
		index.set(key, [part, ...(index.get(key) ?? [])]);
	}
	return (path) => {
		for (const part of index.get(indexKey(path)) ?? []) {
			if (holds(part, path)) return part;
			// What stands below a profile that gives its own stages is out of sight.
			if (path[2] === 'profiles' && path.length > 4 && holds(part, [...path.slice(0, 4), 'stages'])) return undefined;
		}
		return undefined;
	};
}

/** `configs/pipeline/review.yaml:14:9` */
export function sourceIn(part: Part, path: ConfigPath): string {
	const { line, col } = part.yaml.locate(pathInFile(part, path.slice(part.at.length)));
	return `${part.yaml.file}:${line}:${col}`;
}

function pathInFile({ inFile, yaml }: Part, below: readonly (string | number)[]): readonly (string | number)[] {
	const path = [...inFile, ...below];
	// Under `providers` the model may be called `model`.
	const short = inFile.length > 0 && below[0] === 'default_model' && !yaml.has(path);
	return short ? [...inFile, 'model'] : path;
}

const indexKey = ([kind, name]: ConfigPath) => (kind === 'dispatch' ? 'dispatch' : `${kind}/${name}`);

const holds = (part: Part, path: ConfigPath) => valueAt(part.value, path.slice(part.at.length)) !== undefined;
