/**
 * Every path that the diffs in a text name, in any spelling that could be meant. Prose that mentions a path, and a deleted line that
 * looks like a header (`--- x` inside a hunk), name none. Git, plain and combined diffs, renames and copies, and apply_patch blocks.
 */
export function pathsOfDiff(text: string): string[] {
	if (!/^(?:diff |--- |\*\*\* )/m.test(text)) return [];
	const lines = text.split(/\r?\n/);
	const paths = new Set<string>();
	const isPatchBlock = lines.includes('*** Begin Patch');
	let inGitHeader = false;
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i]!;
		const hunk = /^@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
		if (hunk) {
			i = hunkEnd(lines, i + 1, Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)) - 1;
			inGitHeader = false;
			continue;
		}
		const found = headerPaths(line, lines[i + 1] ?? '', { inGitHeader, isPatchBlock });
		for (const path of found) paths.add(path);
		inGitHeader = /^diff --/.test(line) || (inGitHeader && gitHeader.test(line));
	}
	return [...paths];
}

const gitHeader = /^(?:old mode|new mode|deleted file|new file|copy|rename|similarity|dissimilarity|index|---|\+\+\+) /;

/** A lying count hides nothing: a line that cannot be in a hunk ends it. */
function hunkEnd(lines: readonly string[], start: number, old: number, now: number): number {
	let [i, oldLeft, newLeft] = [start, old, now];
	for (; i < lines.length && (oldLeft > 0 || newLeft > 0); i++) {
		const mark = lines[i]!.charAt(0);
		if (mark !== ' ' && mark !== '' && mark !== '-' && mark !== '+' && mark !== '\\') break;
		if (mark !== '+' && mark !== '\\') oldLeft -= 1;
		if (mark !== '-' && mark !== '\\') newLeft -= 1;
	}
	return i;
}

function headerPaths(line: string, next: string, within: { inGitHeader: boolean; isPatchBlock: boolean }): string[] {
	if (line.startsWith('diff --git ')) return gitPair(line.slice('diff --git '.length));
	const combined = /^diff --(?:cc|combined) (.+)$/.exec(line);
	if (combined) return spellings(nameOf(combined[1]!));
	if (within.inGitHeader) {
		const moved = /^(?:rename|copy) (?:from|to) (.+)$/.exec(line);
		// These are written without a/ and b/.
		if (moved) return [nameOf(moved[1]!)];
	}
	if (/^--- ./.test(line) && /^\+\+\+ ./.test(next)) return pair(nameOf(line.slice(4)), nameOf(next.slice(4)));
	if (/^\*\*\* ./.test(line) && /^--- ./.test(next)) return pair(nameOf(line.slice(4)), nameOf(next.slice(4)));
	const patched = within.isPatchBlock ? /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/.exec(line) : null;
	return patched ? [nameOf(patched[1]!.trim())] : [];
}

/** `diff -ru old new` puts directories of any name where git puts a/ and b/. */
function pair(from: string, to: string): string[] {
	const [a, b] = [withoutFirst(from), withoutFirst(to)];
	const sameBelow = a !== null && a === b && from !== to;
	return [...spellings(from), ...spellings(to), ...(sameBelow ? [a] : [])].filter((path) => path !== '/dev/null');
}

/** Names with blanks are not quoted, so where the first ends has to be guessed; when in doubt, every guess counts. */
function gitPair(both: string): string[] {
	const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(both);
	if (quoted) return [...spellings(nameOf(quoted[1]!)), ...spellings(nameOf(quoted[2]!))];
	const middle = (both.length - 1) / 2;
	const [left, right] = [both.slice(0, middle), both.slice(middle + 1)];
	if (Number.isInteger(middle) && both[middle] === ' ' && withoutFirst(left) === withoutFirst(right)) return spellings(left);
	const blanks = [...both.slice(0, 4096).matchAll(/ /g)].map((match) => match.index).slice(0, 200);
	return blanks.flatMap((at) => [...spellings(nameOf(both.slice(0, at))), ...spellings(nameOf(both.slice(at + 1)))]);
}

/** As written, and without a one-letter prefix (`a/`, `b/`, and the i/ w/ c/ o/ of mnemonic prefixes). */
function spellings(name: string): string[] {
	const bare = /^[a-z0-9]\/(.+)$/i.exec(name)?.[1];
	return bare === undefined ? [name] : [name, bare];
}

const withoutFirst = (path: string): string | null => /^[^/]+\/(.+)$/.exec(path)?.[1] ?? null;

/** A time stamp after a tab is none of the name; names with odd characters are quoted as in C. */
function nameOf(written: string): string {
	const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(written)?.[1];
	return quoted === undefined ? written.split('\t')[0]!.trimEnd() : unquote(quoted);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

function unquote(text: string): string {
	const bytes: Buffer[] = [];
	for (const [, octal, escaped, plain] of text.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\]+)/g)) {
		if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
		else bytes.push(Buffer.from(plain ?? escapes[escaped!] ?? escaped!));
	}
	return Buffer.concat(bytes).toString('utf8');
}
