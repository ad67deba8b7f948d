import { longestLine, proseLines } from './prose-lines.ts';

export type ExtractedDiff =
	| { readonly kind: 'none' }
	| { readonly kind: 'not_required' }
	/** `text` can be given to `git apply`; `paths` are all it names, old and new, relative to the workspace. */
	| { readonly kind: 'diff'; readonly text: string; readonly paths: readonly string[] };

/** The unified diff that an answer holds, in its fences or bare between its paragraphs. Several are one after the other. */
export function extractDiff(answer: string): ExtractedDiff {
	const pieces = diffPieces(linesOf(answer));
	if (pieces.length === 0) return saysNoDiff(answer) ? { kind: 'not_required' } : { kind: 'none' };
	const paths = new Set<string>();
	const lines = pieces.flatMap((piece) => recounted(withPrefixes(piece, paths)));
	return { kind: 'diff', text: `${lines.join('\n')}\n`, paths: [...paths] };
}

function linesOf(answer: string): string[] {
	const lines = answer.split('\n');
	// Carriage returns belong to the patched file unless the whole answer has them.
	return lines.slice(0, -1).every((line) => line.endsWith('\r')) ? lines.map((line) => line.replace(/\r$/, '')) : lines;
}

const saysNoDiff = (answer: string) =>
	proseLines(answer).some(({ text }) => /^[\s>*_`-]*no (?:unified )?diff (?:is )?(?:required|needed|necessary)[\s.*_`]*$/i.test(text));

function diffPieces(lines: readonly string[]): string[][] {
	const pieces: string[][] = [];
	let at = 0;
	while (at < lines.length) {
		const fence = /^(\s*)(`{3,}|~{3,})/.exec(lines[at] ?? '');
		if (fence !== null) {
			// Only the same indentation closes: in a diff, " ```" is a context line of a Markdown file.
			const mark = `${fence[1]}${fence[2]}`;
			let end = at + 1;
			while (end < lines.length && lines[end]?.trimEnd() !== mark) end += 1;
			const body = lines.slice(at + 1, end).map((line) => line.slice(line.startsWith(fence[1] ?? '') ? fence[1]?.length : 0));
			const start = body.findIndex((_, index) => beginsFile(body, index));
			if (start !== -1) pieces.push(withoutBlankEnd(body.slice(start)));
			at = end + 1;
		} else if (beginsFile(lines, at)) {
			const end = endOfBare(lines, at);
			pieces.push(withoutBlankEnd(lines.slice(at, end)));
			at = end;
		} else at += 1;
	}
	return pieces;
}

const beginsFile = (lines: readonly string[], at: number) => /^diff --git \S/.test(lines[at] ?? '') || beginsPair(lines, at);

const beginsPair = (lines: readonly string[], at: number) =>
	/^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '') && /^@@ /.test(lines[at + 2] ?? '');

const header =
	/^(?:diff --git |index |old mode |new mode |new file mode |deleted file mode |similarity |dissimilarity |rename |copy |Binary |GIT binary )/;

function endOfBare(lines: readonly string[], start: number): number {
	let at = start;
	while (at < lines.length) {
		const line = lines[at] ?? '';
		const blankInside = line === '' && /^[ +\-@]/.test(lines[at + 1] ?? '');
		if (!/^[ +\-@\\]/.test(line) && !header.test(line) && !blankInside) break;
		at += 1;
	}
	return at;
}

/** Headers as git writes them: models often leave out `a/` and `b/`, and git would then strip a real directory. */
function withPrefixes(piece: readonly string[], paths: Set<string>): string[] {
	const lines = piece.map((line) => line);
	for (let at = 0; at < lines.length; at += 1) {
		const line = lines[at] ?? '';
		for (const path of namedIn(line)) paths.add(path);
		if (!beginsPair(lines, at)) continue;
		const from = nameOf(line.slice(4));
		const to = nameOf((lines[at + 1] ?? '').slice(4));
		const prefixed = (from === null || from.startsWith('a/')) && (to === null || to.startsWith('b/'));
		for (const path of [from, to]) if (path !== null) paths.add(prefixed ? path.slice(2) : path);
		lines[at] = from === null ? '--- /dev/null' : `--- ${quoted(prefixed ? from : `a/${from}`)}`;
		lines[at + 1] = to === null ? '+++ /dev/null' : `+++ ${quoted(prefixed ? to : `b/${to}`)}`;
		at += 2;
	}
	return lines;
}

/** Models miscount the lines of their hunks, and git takes the counts at their word. */
function recounted(lines: readonly string[]): string[] {
	const written: string[] = [];
	for (let at = 0; at < lines.length; ) {
		const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(lines[at] ?? '');
		if (hunk === null) {
			written.push(lines[at] ?? '');
			at += 1;
			continue;
		}
		let end = at + 1;
		while (end < lines.length && !/^@@ /.test(lines[end] ?? '') && !beginsFile(lines, end)) end += 1;
		const body = withoutBlankEnd(lines.slice(at + 1, end)).map((line) => (line === '' ? ' ' : line));
		const count = (marks: string) => body.filter((line) => marks.includes(line.charAt(0))).length;
		written.push(`@@ -${hunk[1]},${count(' -')} +${hunk[2]},${count(' +')} @@${hunk[3]}`, ...body);
		at = end;
	}
	return written;
}

function namedIn(line: string): string[] {
	const moved = /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1];
	if (moved !== undefined) return [unquote(moved.trimEnd())];
	if (!line.startsWith('diff --git ') || line.length > longestLine) return [];
	const rest = line.slice('diff --git '.length).trimEnd();
	const same = /^a\/(.+) b\/\1$/.exec(rest)?.[1];
	if (same !== undefined) return [same];
	const two = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest) ?? /^(a\/.*?) (b\/.*)$/.exec(rest);
	return [two?.[1], two?.[2]].flatMap((name) => (name === undefined ? [] : [unquote(name).replace(/^[ab]\//, '')]));
}

/** The name in a `---` or `+++` line, without a timestamp; null for /dev/null. */
function nameOf(rest: string): string | null {
	const name = rest.startsWith('"') ? unquote(rest.trimEnd()) : (rest.split('\t')[0] ?? '').trimEnd();
	return name === '/dev/null' ? null : name;
}

const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** git's C-style quoting: octal bytes, which together are UTF-8. */
function unquote(name: string): string {
	const inner = /^"(.*)"$/.exec(name)?.[1];
	if (inner === undefined) return name;
	const bytes: number[] = [];
	for (const [piece, octal, letter] of inner.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/g)) {
		if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
		else if (letter !== undefined && letter in escapes) bytes.push(escapes[letter] ?? 0);
		else bytes.push(...new TextEncoder().encode(letter ?? piece));
	}
	return new TextDecoder().decode(Uint8Array.from(bytes));
}

const quoted = (name: string) => (/["\\\n\t]/.test(name) ? JSON.stringify(name) : name);

/** A context line that is blank has its space; a line without any is the gap before what follows. */
const withoutBlankEnd = (lines: readonly string[]) => lines.slice(0, lines.findLastIndex((line) => line !== '' && line !== '\r') + 1);
