import { own } from '../contract/own.ts';
import { groupOptions } from '../contract/pipeline-file.ts';
import { suggest } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { Situation } from './situation.ts';
import { sourceOf } from './walk.ts';

export type Options = Readonly<Record<string, string | number | boolean>>;
type Known = Readonly<Record<string, readonly (string | number)[]>>;

/** A mode states what a profile is; it never switches to another. */
const modes = ['impl_mode', 'review_mode', 'consolidate_mode'];

/** The profile's options with the manifest's over them, each checked against what the group knows. */
export function checkOptions({ input, choice }: Situation, notes: Notes): Options {
	const declared: Options = choice.profile.options ?? {};
	const given = input.manifest.routing?.pipeline?.options ?? {};
	const known = own(groupOptions, choice.group) ?? everyOption();
	const path = ['pipelines', choice.group, 'profiles', choice.name, 'options'];
	for (const [name, value] of Object.entries(declared)) {
		const problem = problemOf(choice.group, known, name, value);
		if (problem !== null) notes.config(sourceOf(input.config, [...path, name]), problem);
	}
	for (const [name, value] of Object.entries(given)) {
		const problem = problemOf(choice.group, known, name, value) ?? modeProblem({ input, choice }, name, value);
		const what = own(known, name) === undefined ? 'key' : 'value';
		if (problem !== null) notes.manifest(['routing', 'pipeline', 'options', name], problem, what);
	}
	return { ...declared, ...given };
}

/** A group that a project adds knows all options. */
export function everyOption(): Known {
	return Object.assign({}, ...Object.values(groupOptions));
}

function problemOf(group: string, known: Known, name: string, value: string | number | boolean): string | null {
	const problem = valueProblem(known, name, value);
	if (problem !== undefined) return problem;
	const meant = suggest(name, Object.keys(known));
	const allowed = `allowed: ${Object.keys(known).join(', ')}`;
	return `group ${group} has no option "${name}"; ${meant === null ? '' : `did you mean "${meant}"? `}${allowed}`;
}

/** Why an option cannot have a value, or null; undefined where there is no such option. */
export function valueProblem(known: Known, name: string, value: string | number | boolean): string | null | undefined {
	const values = own(known, name);
	if (values === undefined) return undefined;
	if (typeof value !== 'boolean' && values.includes(value)) return null;
	return `${name} cannot be ${JSON.stringify(value)}; allowed: ${values.join(', ')}`;
}

function modeProblem(
	{ input, choice }: Pick<Situation, 'input' | 'choice'>,
	name: string,
	value: string | number | boolean,
): string | null {
	const declared = own<string | number | boolean>(choice.profile.options, name);
	if (!modes.includes(name) || value === declared) return null;
	const group = own(input.config.merged.pipelines, choice.group);
	const fitting = Object.keys(group?.profiles ?? {}).filter((other) => own(group!.profiles![other]!.options, name) === value);
	const standard = group?.default_profile ?? '';
	const first = fitting.includes(standard) ? [standard] : [];
	const instead = [...first, ...fitting.filter((other) => other !== first[0])].map((other) => `"${other}"`);
	const is = declared === undefined ? `which declares no ${name}` : `which is ${name} ${declared}`;
	const choose = instead.length === 0 ? 'no profile of the group is' : `choose the profile ${instead.join(' or ')} instead`;
	return `${name} ${value} does not fit profile "${choice.name}", ${is}; ${choose}`;
}
