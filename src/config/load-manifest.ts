import type { Complaint } from '../contract/complaint.ts';
import { Manifest } from '../contract/manifest.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { checkShape } from './check-shape.ts';
import { byPlace, complainAt, type Where } from './complain-at.ts';
import { manifestMeaning } from './manifest-meaning.ts';
import { readYaml } from './read-yaml.ts';
import type { YamlPath } from './yaml-node.ts';
import type { Place, ReadYaml } from './yaml-reading.ts';

export interface LoadedManifest {
	readonly manifest: Manifest;
	readonly locate: (path: YamlPath) => Place;
	/** `manifest.yaml:7:3` */
	readonly source: (path: YamlPath) => string;
	/** A complaint of somebody who knows more than this room (the plan, the queue) about a path of this manifest. */
	readonly complain: (path: YamlPath, message: string, where?: Where) => Complaint;
}

/** A manifest that can be planned, or everything that is wrong with it. `expectedId` is its directory's name. */
export function parseManifest(text: string | Uint8Array, file: string, expectedId: string): Outcome<LoadedManifest, Complaint> {
	const yaml = readYaml(text, file);
	const shape = checkShape(Manifest, yaml);
	const said = manifestMeaning(yaml.value, expectedId).map(({ path, message }) => complainAt(yaml, path, message));
	const [first, ...rest] = [...(shape.ok ? [] : shape.failures), ...said].sort(byPlace);
	if (first !== undefined || !shape.ok) return fail(first!, ...rest);
	return pass(loadedFrom(yaml, shape.value));
}

export function loadedFrom(yaml: ReadYaml, manifest: Manifest): LoadedManifest {
	return {
		manifest,
		locate: (path) => yaml.locate(path),
		source: (path) => {
			const { line, col } = yaml.locate(path);
			return `manifest.yaml:${line}:${col}`;
		},
		complain: (path, message, where) => complainAt(yaml, path, message, where),
	};
}
