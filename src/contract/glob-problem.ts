/**
 * Why a glob is not taken, or null. Globs are matched by backtracking: many stars in one part of a path, or a repeated group that holds
 * a wildcard, can keep it busy for hours on a file name made for that.
 */
export function globProblem(glob: string): string | null {
	if (glob.split('/').some((part) => wildcards(part) > mostStars)) return `has more than ${mostStars} wildcards between two slashes`;
	if (wholeParts(glob) > mostStars) return `has more than ${mostStars} times "**"`;
	if (repeatsWildcard(glob)) return 'repeats a group, +(…) or *(…), that holds a wildcard or another group';
	return null;
}

const mostStars = 4;

const wildcards = (part: string): number => (part.match(/\*+\(?|\+\(|!\(/g) ?? []).length;

const wholeParts = (glob: string): number => glob.replace(/(?:\*\*\/)+/g, '**/').split('**').length - 1;

function repeatsWildcard(glob: string): boolean {
	const starts = [...glob.matchAll(/[+*]\(/g)].map((match) => match.index + 2);
	return starts.some((start) => /[*+?!@(]/.test(glob.slice(start, closing(glob, start))));
}

function closing(glob: string, start: number): number {
	const end = glob.indexOf(')', start);
	return end === -1 ? glob.length : end;
}
