import type { z } from 'zod';
import { suggest } from '../contract/suggest.ts';
import { isWhole, type Schema } from './schema-walk.ts';

export type Issue = z.core.$ZodIssue;

/** What is wrong with one value, in words for the person who wrote it. */
export function issueMessage(issue: Issue, value: unknown, schema: Schema | undefined): string {
	switch (issue.code) {
		case 'invalid_type':
			return expected([kindName(issue.expected, schema)], value);
		case 'invalid_value':
			return oneOf(issue.values.map(String), value);
		case 'too_small':
			return tooSmall(issue);
		case 'too_big':
			return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : `is longer than ${issue.maximum}`;
		case 'invalid_format':
			// A schema's own wording says more than zod's.
			return issue.message.startsWith('Invalid') ? `${describe(value)} is not valid here` : issue.message;
		default:
			return issue.message;
	}
}

/** `expected a whole number, got "abc"` */
export function expected(kinds: readonly string[], value: unknown): string {
	const last = kinds.at(-1)!;
	const list = kinds.length === 1 ? last : `${kinds.slice(0, -1).join(', ')} or ${last}`;
	const unquoted = kinds.includes('text') && (typeof value === 'number' || typeof value === 'boolean');
	return `expected ${list}, got ${describe(value)}${unquoted ? '; put it in quotes' : ''}`;
}

export function oneOf(allowed: readonly string[], value: unknown): string {
	const meant = typeof value === 'string' ? suggest(value, allowed) : null;
	return `expected one of: ${allowed.join(', ')}${meant === null ? '' : `; did you mean "${meant}"?`}`;
}

export function kindName(kind: string, schema?: Schema): string {
	if (kind === 'number' && isWhole(schema)) return 'a whole number';
	return kindNames[kind] ?? kind;
}

const kindNames: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'keys with values',
	record: 'keys with values',
};

function describe(value: unknown): string {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'keys with values';
	if (typeof value !== 'string') return String(value);
	return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value);
}

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string {
	if (origin === 'string') return 'must not be empty';
	if (origin === 'array') return `needs at least ${minimum} ${Number(minimum) === 1 ? 'entry' : 'entries'}`;
	return inclusive === false ? `must be more than ${minimum}` : `must be at least ${minimum}`;
}
