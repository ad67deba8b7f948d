import type { z } from 'zod';
import { valueAt } from './value-at.ts';
import { withoutAbsent } from './without-absent.ts';
import type { ReadYaml } from './yaml-reading.ts';

/**
 * What is left of a file when all that its schema complains of is taken out; undefined if that does not make it right.
 * Only for looking on: a misspelt key is no reason to keep quiet about an unknown servant two lines below.
 */
export function salvage<T>(schema: z.ZodType<T>, yaml: ReadYaml): T | undefined {
	const value = withoutAbsent(schema, yaml.value);
	const result = schema.safeParse(value);
	for (const issue of result.error?.issues ?? []) {
		const path = issue.path.map(String);
		if (issue.code !== 'unrecognized_keys' && wouldBeMissed(path)) return undefined;
		const wrong = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
		for (const each of wrong) takeOut(value, each);
	}
	return schema.safeParse(value).data;
}

/** Taken out, these would bring forth complaints of their own that are not true. */
function wouldBeMissed(path: readonly string[]): boolean {
	return path.includes('stages') || path[0] === 'command' || (path[0] === 'profiles' && path.length <= 2);
}

export function takeOut(value: unknown, path: readonly string[]): void {
	const holder = valueAt(value, path.slice(0, -1));
	// A list with a hole would be another list: it goes whole.
	if (Array.isArray(holder)) takeOut(value, path.slice(0, -1));
	else if (typeof holder === 'object' && holder !== null && path.length > 0) delete (holder as Record<string, unknown>)[path.at(-1)!];
}
