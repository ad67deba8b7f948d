import type { z } from 'zod';
import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { hint } from '../contract/suggest.ts';
import { byPlace, complainAt } from './complain-at.ts';
import { whole } from './read-files.ts';
import { knownKeys, type Schema, schemaAt } from './schema-walk.ts';
import { expected, type Issue, issueMessage, kindName, oneOf } from './shape-words.ts';
import { valueAt } from './value-at.ts';
import { hasAbsent, withoutAbsent } from './without-absent.ts';
import type { ReadYaml } from './yaml-reading.ts';

/** The file's value, if it is what the schema describes; else everything that is wrong with it, in the order of the file. */
export function checkShape<T>(schema: z.ZodType<T>, yaml: ReadYaml): Outcome<T, Complaint> {
	if (yaml.value === undefined) return outcome(yaml.complaints, undefined as T);
	const result = schema.safeParse(hasAbsent(yaml.value) ? withoutAbsent(schema, yaml.value) : yaml.value);
	const issues = result.success ? [] : result.error.issues.flatMap((issue) => complaintsOf({ schema, yaml }, issue));
	return outcome(listed([...yaml.complaints, ...issues].sort(byPlace), yaml.file), result.data as T);
}

/** Nobody reads more, and a file of a hundred thousand wrong keys must not fill the screen. */
const mostListed = 1000;

function listed(complaints: readonly Complaint[], file: string): readonly Complaint[] {
	if (complaints.length <= mostListed) return complaints;
	const message = `${(complaints.length - mostListed).toLocaleString('en-US')} more problems in this file are not listed`;
	return [whole(file, message), ...complaints.slice(0, mostListed)];
}

function outcome<T>([first, ...rest]: readonly Complaint[], value: T): Outcome<T, Complaint> {
	return first === undefined ? pass(value) : fail(first, ...rest);
}

interface Checked {
	readonly schema: Schema;
	readonly yaml: ReadYaml;
}

function complaintsOf(checked: Checked, issue: Issue): readonly Complaint[] {
	const { schema, yaml } = checked;
	const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
	if (issue.code === 'unrecognized_keys') {
		const here = schemaAt(schema, path);
		const known = (here && knownKeys(here)) ?? [];
		return issue.keys.map((key, i) => {
			const meant = i < mostListed ? hint(key, known) : '';
			return complainAt(yaml, [...path, key], `unknown key "${key}"${meant}`, { what: 'key' });
		});
	}
	const value = valueAt(yaml.value, path);
	if (issue.code === 'invalid_union') return unionComplaints(checked, issue, value);
	if (value === undefined || value === null || (value === '' && !mayBeEmpty(issue))) return [missing(yaml, path)];
	return [complainAt(yaml, path, issueMessage(issue, value, schemaAt(schema, path)))];
}

/** An empty value that is complained of as a missing one; in a list it is an entry like any other. */
const mayBeEmpty = (issue: Issue) => typeof issue.path.at(-1) === 'number';

function missing(yaml: ReadYaml, path: readonly (string | number)[]): Complaint {
	const name = path.at(-1);
	if (typeof name === 'number') return complainAt(yaml, path, 'an entry of this list is empty');
	if (yaml.has(path)) return complainAt(yaml, path, `"${name}" is empty`, { what: 'key' });
	return complainAt(yaml, path.slice(0, -1), `the key "${name}" is missing`, { what: 'key' });
}

/** Of a union, the option that the value was meant to be: the one whose kind fits, else all of them. */
function unionComplaints(checked: Checked, issue: Extract<Issue, { code: 'invalid_union' }>, value: unknown): readonly Complaint[] {
	const options = issue.errors;
	const meant = options.find(
		(issues) => issues.every((inner) => inner.path.length > 0 || inner.code !== 'invalid_type') && !literal(issues),
	);
	if (meant !== undefined) return meant.flatMap((inner) => complaintsOf(checked, { ...inner, path: [...issue.path, ...inner.path] }));
	const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
	const literals = options.flatMap((issues) => literal(issues)?.values.map(String) ?? []);
	const kinds = options.flatMap((issues) => issues.flatMap((inner) => (inner.code === 'invalid_type' ? [kindName(inner.expected)] : [])));
	return [complainAt(checked.yaml, path, literals.length > 0 ? oneOf(literals, value) : expected(kinds, value))];
}

function literal(issues: readonly Issue[]): Extract<Issue, { code: 'invalid_value' }> | undefined {
	const [issue] = issues;
	return issue?.code === 'invalid_value' && issue.path.length === 0 ? issue : undefined;
}
