import micromatch from 'micromatch';
import type { TreeChange } from '../contract/evidence.ts';
import { isExclusion } from '../contract/exclusion.ts';
import type { Access } from '../contract/words.ts';

export interface Scope {
	readonly allow: readonly string[];
	readonly deny: readonly string[];
}

/** The paths that should not have changed, sorted; a symlink is shown with where it leads. */
export function outOfScope(changes: readonly TreeChange[], scope: Scope, access: Access): string[] {
	const denied = anyOf(scope.deny, 'deny');
	const allowed = anyOf(
		scope.allow.filter((pattern) => !isExclusion(pattern)),
		'allow',
	);
	const excluded = anyOf(
		scope.allow.filter(isExclusion).map((pattern) => pattern.slice(1)),
		'deny',
	);
	const outside = new Set<string>();
	for (const change of changes) {
		const path = settle(change.path);
		const target = change.target === undefined || change.target === null ? null : settle(change.target);
		const forbidden = change.protected === true || leaves(path) || inGit(path) || denied(path);
		if (forbidden) outside.add(path);
		else if (change.ignored === true) continue;
		else if (access === 'read' || !allowed(path) || excluded(path)) outside.add(path);
		else if (target !== null && (leaves(target) || inGit(target) || denied(target))) outside.add(`${path} -> ${target}`);
	}
	return [...outside].sort();
}

/** Whether `scope.deny` names the path: also used to find the ignored files worth watching. */
export function deniedBy(deny: readonly string[]): (path: string) => boolean {
	const denied = anyOf(deny, 'deny');
	return (path) => denied(settle(path));
}

/** Denials match in any case: on a file system that folds it, `.ENV` is `.env`. */
function anyOf(patterns: readonly string[], kind: 'allow' | 'deny'): (path: string) => boolean {
	const tests = patterns.flatMap((pattern) => matcherFor(pattern, kind === 'deny'));
	return (path) => tests.some((test) => test(path));
}

/** Longer ones the glob library refuses with an exception; as plain prefixes they still work. */
const longestGlob = 10_000;

function matcherFor(written: string, foldCase: boolean): ((path: string) => boolean)[] {
	const raw = written.trim();
	if (raw === '') return [];
	// A leading slash anchors at the root, as in .gitignore; everything is anchored there anyway.
	const pattern = settle(raw.replace(/^\/+/, '')).replace(/(?:\*\*\/)+/g, '**/');
	if (pattern === '' || pattern === '.') return [() => true];
	const fold = (text: string) => (foldCase ? text.toLowerCase() : text);
	const literal = fold(pattern);
	// A path such as `app/[id]` is a prefix before it is a glob.
	const tests = [(path: string) => fold(path) === literal || fold(path).startsWith(`${literal}/`)];
	if (/[*?[{(]/.test(pattern) && pattern.length <= longestGlob) {
		const options = { dot: true, nocase: foldCase, nonegate: true };
		tests.push(micromatch.matcher(pattern, options), micromatch.matcher(`${pattern}/**`, options));
	}
	return tests;
}

/** One spelling per path: composed characters, `/`, no `.`, no inner `..`, no slash at the end. */
function settle(path: string): string {
	const parts: string[] = [];
	const absolute = path.startsWith('/');
	for (const part of path.normalize('NFC').split('/')) {
		if (part === '' || part === '.') continue;
		if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
		else parts.push(part);
	}
	return (absolute ? '/' : '') + parts.join('/');
}

const leaves = (path: string) => path.startsWith('/') || path === '..' || path.startsWith('../');

const inGit = (path: string) => path.split('/').some((part) => part.toLowerCase() === '.git');
