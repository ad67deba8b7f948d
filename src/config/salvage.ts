import type { z } from 'zod';
import { own } from '../contract/own.ts';
import { suggest } from '../contract/suggest.ts';
import { knownKeys, type Schema, schemaAt } from './schema-walk.ts';
import type { Issue } from './shape-words.ts';
import { valueAt } from './value-at.ts';
import { withoutAbsent } from './without-absent.ts';
import type { ReadYaml } from './yaml-reading.ts';

/**
 * What is left of a file when all that its schema complains of is taken out; undefined if that does not make it right.
 * Only for looking on: a misspelt key is no reason to keep quiet about an unknown servant two lines below.
 */
export function salvage<T>(schema: z.ZodType<T>, yaml: ReadYaml): T | undefined {
	const value = withoutAbsent(schema, yaml.value);
	const issues = schema.safeParse(value).error?.issues ?? [];
	const wrong = issues.flatMap((issue) => wrongPaths(issue).map((path) => written(value, path)));
	for (const path of wrong) takeOut(value, path);
	const { data } = schema.safeParse(value);
	if (data === undefined) return undefined;
	const meant = issues.flatMap((issue) => misspelt(schema, issue)).map(({ near }) => near);
	for (const path of [...wrong, ...meant]) standIn(data as object, path);
	return data;
}

type Path = readonly string[];

/** Where a value stands that a schema complains of. */
export function wrongPaths(issue: Issue): readonly Path[] {
	const path = issue.path.map(String);
	return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
}

/** Misspelt keys, and what they were probably meant to be: it is not missing. */
export function misspelt(schema: Schema, issue: Issue): readonly { readonly path: Path; readonly near: Path }[] {
	if (issue.code !== 'unrecognized_keys') return [];
	const holder = issue.path.map(String);
	const here = schemaAt(schema, holder);
	const known = (here && knownKeys(here)) ?? [];
	return issue.keys.flatMap((key) => {
		const near = suggest(key, known);
		return near === null ? [] : [{ path: [...holder, key], near: [...holder, near] }];
	});
}

/** Where a key is missing, what it is missing in is wrong. */
function written(value: unknown, path: Path): Path {
	return path.length === 0 || valueAt(value, path) !== undefined ? path : written(value, path.slice(0, -1));
}

export function takeOut(value: unknown, path: Path): void {
	const holder = valueAt(value, path.slice(0, -1));
	// A list with a hole would be another list: it goes whole.
	if (Array.isArray(holder)) takeOut(value, path.slice(0, -1));
	else if (typeof holder === 'object' && holder !== null && path.length > 0) delete (holder as Record<string, unknown>)[path.at(-1)!];
}

/** Of what was wrong, that whose absence would be complained of, which would not be true. */
function standIn(value: object, path: Path): void {
	const file = value as Record<string, unknown>;
	const [first, name = '', third] = path;
	if (first === 'providers' && path.length > 2) {
		const servant = own(file.providers as Record<string, object>, name);
		if (servant !== undefined) standIn(servant, path.slice(2));
	} else if (first === 'command') {
		file.command = '';
	} else if (first === 'stream' && (path.length === 1 || name === 'text')) {
		delete file.stream;
		delete file.output;
	} else if (first === 'profiles' && path.length === 1) {
		delete file.default_profile;
	} else if (first === 'profiles' && (path.length === 2 || third === 'stages')) {
		const profiles = file.profiles as Record<string, object>;
		profiles[name] = { ...own(profiles, name), stages: [] };
	}
}
