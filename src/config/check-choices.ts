import type { Complaint } from '../contract/complaint.ts';
import { own } from '../contract/own.ts';
import { groupFlags, groupOptions, type PipelineFile } from '../contract/pipeline-file.ts';
import { suggest } from '../contract/suggest.ts';
import { complainOf, type Part } from './part.ts';

type Options = (typeof groupOptions)[string];

/** Flags and options of a pipeline file's profiles are those its group knows. A group that a project adds knows them all. */
export function checkChoices(part: Part): readonly Complaint[] {
	const [kind, group] = part.at;
	if (kind !== 'pipelines') return [];
	const flags = own(groupFlags, group!) ?? [...new Set(Object.values(groupFlags).flat())];
	const options: Options = own(groupOptions, group!) ?? Object.assign({}, ...Object.values(groupOptions));
	return Object.entries((part.value as PipelineFile).profiles ?? {}).flatMap(([name, profile]) => [
		...Object.keys(profile.flags ?? {}).flatMap((flag) => {
			if (flags.includes(flag)) return [];
			return [
				complainOf(part, ['profiles', name, 'flags', flag], unknown({ group: group!, kind: 'flag', name: flag, allowed: flags }), {
					what: 'key',
				}),
			];
		}),
		...Object.entries(profile.options ?? {}).flatMap(([option, value]) => {
			const path = ['profiles', name, 'options', option];
			const allowed = own(options, option);
			if (allowed === undefined) {
				const message = unknown({ group: group!, kind: 'option', name: option, allowed: Object.keys(options) });
				return [complainOf(part, path, message, { what: 'key' })];
			}
			if (allowed.includes(value as string)) return [];
			return [complainOf(part, path, `${option} cannot be ${JSON.stringify(value)}; allowed: ${allowed.join(', ')}`)];
		}),
	]);
}

function unknown({ group, kind, name, allowed }: { group: string; kind: string; name: string; allowed: readonly string[] }): string {
	const meant = suggest(name, allowed);
	const start = `group ${group} has no ${kind} "${name}"`;
	if (allowed.length === 0) return `${start}; it has none`;
	return `${start}; ${meant === null ? '' : `did you mean "${meant}"? `}allowed: ${allowed.join(', ')}`;
}
