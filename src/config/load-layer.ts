import { join } from 'node:path';
import type { z } from 'zod';
import type { Complaint } from '../contract/complaint.ts';
import type { ConfigLayer } from '../contract/config.ts';
import { DispatchFile } from '../contract/dispatch-file.ts';
import { PipelineFile } from '../contract/pipeline-file.ts';
import { ServantFile } from '../contract/servant-file.ts';
import { checkShape } from './check-shape.ts';
import { complainAt } from './complain-at.ts';
import { withoutIgnored } from './ignored-keys.ts';
import { complainOf, layerOf, type Part } from './part.ts';
import { readFile, readFolder, whole } from './read-files.ts';
import { salvage } from './salvage.ts';
import type { ReadYaml } from './yaml-reading.ts';

export interface LoadedLayer {
	readonly layer: ConfigLayer;
	readonly parts: readonly Part[];
	/** Tools that have a servant file, be it a wrong one. */
	readonly tools: readonly string[];
	readonly complaints: readonly Complaint[];
}

/** One layer: `servant/*.yaml`, `pipeline/*.yaml` and `dispatch.yaml` of a folder. `show` gives a file's path as the user knows it. */
export function loadLayer(folder: string, show: (relative: string) => string): LoadedLayer {
	const complaints: Complaint[] = [];
	const checked = <T>(schema: z.ZodType<T>, yaml: ReadYaml): T | undefined => {
		const result = checkShape(schema, yaml);
		if (result.ok) return result.value;
		complaints.push(...result.failures);
		return salvage(schema, yaml);
	};
	const found = (kind: string) => {
		const { files, complaints: more } = readFolder(join(folder, kind), (name) => show(`${kind}/${name}`));
		complaints.push(...more);
		return files;
	};

	const parts: Part[] = [];
	const add = (part: Part) => {
		const { value, warnings } = withoutIgnored(part);
		parts.push({ ...part, value });
		complaints.push(...warnings);
	};

	const servants = found('servant');
	for (const { name, yaml } of servants) {
		const file = checked(ServantFile, yaml);
		complaints.push(...servantNameProblems(name, yaml, file));
		if (file !== undefined) add({ at: ['servants', name], value: file, yaml, inFile: [] });
	}
	const groups = new Map<string, ReadYaml>();
	for (const { name, yaml } of found('pipeline')) {
		const file = checked(PipelineFile, yaml);
		const group = file?.pipeline ?? name.replace(/-pipeline$/, '');
		const other = groups.get(group);
		if (other !== undefined) complaints.push(twice(group, yaml, other));
		else groups.set(group, yaml);
		if (file !== undefined && other === undefined) add({ at: ['pipelines', group], value: file, yaml, inFile: [] });
	}
	const overlooked = readFile(join(folder, 'dispatch.yml'), show('dispatch.yml'));
	if (overlooked !== null) complaints.push(whole(overlooked.file, 'only dispatch.yaml is read; rename this file', 'warning'));
	const yaml = readFile(join(folder, 'dispatch.yaml'), show('dispatch.yaml'));
	const file = yaml === null ? undefined : checked(DispatchFile, yaml);
	if (yaml !== null && file !== undefined) for (const part of dispatchParts(file, yaml, complaints)) add(part);

	return { layer: layerOf(parts), parts, tools: servants.map(({ name }) => name), complaints };
}

function servantNameProblems(name: string, yaml: ReadYaml, file: ServantFile | undefined): readonly Complaint[] {
	if (name.includes('_')) {
		return [
			whole(
				yaml.file,
				`a servant's name cannot hold "_": stages are named <tool>_<role>; rename the file to ${name.replaceAll('_', '-')}.yaml`,
			),
		];
	}
	if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(name)) return [whole(yaml.file, "a servant's name is made of A-Z a-z 0-9 . -; rename the file")];
	if (file?.tool === undefined || file.tool === name) return [];
	return [complainAt(yaml, ['tool'], `tool is "${file.tool}", but the file's name makes it "${name}"`)];
}

function twice(group: string, yaml: ReadYaml, other: ReadYaml): Complaint {
	const message = `group "${group}" is configured by ${other.file} and by ${yaml.file}; keep one of the two`;
	return yaml.has(['pipeline']) ? complainAt(yaml, ['pipeline'], message) : whole(yaml.file, message);
}

/** `providers.<tool>` says what a servant file says, so it becomes a part of that servant. */
function dispatchParts({ providers, ...rest }: DispatchFile, yaml: ReadYaml, complaints: Complaint[]): readonly Part[] {
	const parts: Part[] = [{ at: ['dispatch'], value: rest, yaml, inFile: [] }];
	for (const [tool, { model, ...servant }] of Object.entries(providers ?? {})) {
		const value = model === undefined ? servant : { default_model: model, ...servant };
		const part: Part = { at: ['servants', tool], value, yaml, inFile: ['providers', tool] };
		if (model !== undefined && servant.default_model !== undefined && servant.default_model !== model) {
			complaints.push(complainOf(part, ['model'], 'both model and default_model are set; default_model counts', { level: 'warning' }));
		}
		if (servant.tool !== undefined && servant.tool !== tool) {
			complaints.push(complainOf(part, ['tool'], `tool is "${servant.tool}", but it stands under "${tool}"`));
		}
		parts.push(part);
	}
	return parts;
}
