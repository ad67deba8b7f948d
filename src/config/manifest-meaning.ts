import { RE2JS } from 're2js';
import { globProblem } from '../contract/glob-problem.ts';
import { valueAt } from './value-at.ts';
import type { YamlPath } from './yaml-node.ts';

export interface Misfit {
	readonly path: YamlPath;
	readonly message: string;
}

/** What a schema does not see. Works on the raw value, so that it is said even where the shape is wrong elsewhere. */
export function manifestMeaning(value: unknown, expectedId: string): readonly Misfit[] {
	if (value === undefined) return [];
	const found: Misfit[] = [];
	const at = (...path: YamlPath) => valueAt(value, path);
	const complain = (path: YamlPath, message: string) => found.push({ path, message });

	const id = at('task_id');
	if (typeof id === 'string' && id !== '' && id !== expectedId)
		complain(['task_id'], `task_id is "${id}", but the packet's directory is "${expectedId}"`);
	const goal = at('goal');
	if (typeof goal === 'string' && goal !== '' && goal.trim() === '') complain(['goal'], '"goal" is empty');
	if (absent(at('task_type')) && absent(at('routing', 'intent'))) complain([], 'one of "task_type" and "routing.intent" is needed');
	if (at('same_branch') === true && absent(at('based_on')) && entries(at('depends_on')).length === 0) {
		complain(['same_branch'], 'same_branch needs "based_on" or "depends_on": it continues the branch of that packet');
	}
	for (const key of ['based_on', 'depends_on']) {
		entries(at(key)).forEach((other, i) => {
			if (other === expectedId) complain(Array.isArray(at(key)) ? [key, i] : [key], 'a packet cannot depend on itself');
		});
	}
	const created = at('created_at');
	if (typeof created === 'string' && created !== '' && Number.isNaN(Date.parse(created))) {
		complain(['created_at'], `"${created}" is not a time; write it like 2026-01-31T09:30:00Z`);
	}
	for (const path of textLists) {
		entries(at(...path)).forEach((entry, i) => {
			if (typeof entry === 'string' && entry.trim() === '') complain([...path, i], 'an entry of this list is empty');
		});
	}
	entries(at('security', 'redaction_patterns')).forEach((pattern, i) => {
		const problem = typeof pattern === 'string' ? patternProblem(pattern) : null;
		if (problem !== null) complain(['security', 'redaction_patterns', i], problem);
	});
	for (const path of globLists) {
		entries(at(...path)).forEach((glob, i) => {
			const problem = typeof glob === 'string' ? globProblem(glob) : null;
			if (problem !== null) complain([...path, i], `this glob ${problem}; write it as several simpler ones`);
		});
	}
	return found;
}

const globLists = [
	['scope', 'allow'],
	['scope', 'deny'],
	['security', 'forbidden_paths'],
];

/** Where an empty entry would mean everything, or nothing. */
const textLists = [
	['scope', 'allow'],
	['scope', 'deny'],
	['acceptance', 'commands'],
	['security', 'redaction_patterns'],
	['security', 'forbidden_paths'],
];

const absent = (value: unknown) => value === undefined || value === null || value === '';

function entries(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : absent(value) ? [] : [value];
}

function patternProblem(pattern: string): string | null {
	try {
		RE2JS.compile(pattern);
		return null;
	} catch (error) {
		const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
		return `this is not a regular expression in RE2 syntax: ${reason}`;
	}
}
