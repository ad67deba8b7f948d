import type { Complaint } from '../contract/complaint.ts';
import type { PipelineFile } from '../contract/pipeline-file.ts';
import { complainOf, type Part } from './part.ts';

const ofServants = ['web_capabilities', 'effort_level_descriptions'];

/** A part without what older files say and nothing reads, and a warning for each. */
export function withoutIgnored(part: Part): { readonly value: Part['value']; readonly warnings: readonly Complaint[] } {
	const ignored =
		part.at[0] === 'servants' ? ofServants.filter((key) => Object.hasOwn(part.value, key)).map((key) => [key]) : securityModes(part);
	const warnings = ignored.map((path) =>
		complainOf(part, path, `${path.at(-1)} is not used; it is ignored`, { what: 'key', level: 'warning' }),
	);
	return { value: ignored.reduce(without, part.value), warnings };
}

function securityModes({ at, value }: Part): readonly (readonly string[])[] {
	if (at[0] !== 'pipelines' || at[1] !== 'review') return [];
	const profiles = Object.entries((value as PipelineFile).profiles ?? {});
	return profiles
		.filter(([, profile]) => profile.options !== undefined && Object.hasOwn(profile.options, 'security_mode'))
		.map(([name]) => ['profiles', name, 'options', 'security_mode']);
}

function without(value: Part['value'], [key, ...rest]: readonly string[]): Part['value'] {
	const { [key!]: inner, ...others } = value;
	return rest.length === 0 ? others : { ...value, [key!]: without(inner as Part['value'], rest) };
}
