import { posix } from 'node:path';
import micromatch from 'micromatch';
import { pathsOfDiff } from './diff-paths.ts';

/** The entry of `security.forbidden_paths` that a path falls under, or null. Paths may be absolute or relative to the project's root. */
export type ForbiddenCheck = (path: string) => string | null;

export function forbiddenCheck(patterns: readonly string[], root: string): ForbiddenCheck {
	const rules = patterns.filter((pattern) => pattern.trim() !== '').map((pattern) => ({ pattern, matches: ruleOf(pattern, root) }));
	return (path) => {
		const spellings = new Set([path, path.replaceAll('\\', '/')].map((spelling) => relativeTo(root, spelling)));
		const found = rules.find((rule) => [...spellings].some((spelling) => rule.matches(spelling)));
		return found?.pattern ?? null;
	};
}

/** One reason per forbidden path that a diff touches; none for a text that is no diff. */
export function forbiddenInDiff(text: string, label: string, check: ForbiddenCheck): string[] {
	const touched = new Map<string, string>();
	for (const path of pathsOfDiff(text)) {
		const pattern = check(path);
		if (pattern !== null && !touched.has(path)) touched.set(path, pattern);
	}
	// Of a name with and without its a/ or b/, the one without is shown.
	const shown = [...touched].filter(([path]) => !/^[a-z0-9]\//i.test(path) || !touched.has(path.slice(2)));
	return shown.map(([path, pattern]) => `${label} is a diff that touches ${path}, forbidden by "${pattern}"`);
}

/** A list of what must not be sent errs on the safe side: case does not matter, and what lies below a match matches. */
function ruleOf(pattern: string, root: string): (path: string) => boolean {
	const written = posix.normalize(pattern.trim().normalize('NFC')).replace(/^\.\//, '').replace(/\/+$/, '');
	// From the root of the disk, but in the project: paths are compared as the project knows them.
	const bare = written.startsWith(`${root}/`) ? written.slice(root.length + 1) : written === root ? '' : written;
	if (bare === '' || bare === '.') return () => true;
	const options = { dot: true, nocase: true, nonegate: true, strictSlashes: false };
	// `/secrets` may be meant from the root of the disk or of the project.
	const globs = bare.startsWith('/') ? [bare, bare.slice(1)] : [bare];
	const matchers = globs.flatMap((glob) => [micromatch.matcher(glob, options), micromatch.matcher(`${glob}/**`, options)]);
	const prefixes = globs.map((glob) => glob.toLowerCase());
	return (path) => {
		const folded = path.toLowerCase();
		return prefixes.some((prefix) => folded === prefix || folded.startsWith(`${prefix}/`)) || matchers.some((matches) => matches(path));
	};
}

function relativeTo(root: string, path: string): string {
	const absolute = posix.resolve(root, path.normalize('NFC'));
	return absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute;
}
