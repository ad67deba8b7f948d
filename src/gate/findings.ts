import type { Findings } from '../contract/evidence.ts';
import { type Line, longestLine, proseLines } from './prose-lines.ts';

/** Findings by their tags, one a line: a line that begins with a tag, or carries one without denying or explaining it. */
export function countFindings(answer: string): Findings {
	const count = { high: 0, medium: 0, low: 0 };
	const lines = proseLines(answer);
	for (const [index, { text, code }] of lines.entries()) {
		if (code) continue;
		const tag = tagOf(withoutCode(text.slice(0, longestLine)), () => nextText(lines, index));
		if (tag !== null) count[tag] += 1;
	}
	return count;
}

type Severity = keyof Findings;

/** What stands in backticks is spoken of; but a tag at the head of its line is one, however it is set. */
function withoutCode(line: string): string {
	const isHeaded = /^[\s>*_|+#\d.)-]*`\[(?:HIGH|MEDIUM|LOW)\]`/i.test(line);
	return (isHeaded ? line.replace(/`(\[(?:HIGH|MEDIUM|LOW)\])`/gi, '$1') : line).replace(/`[^`]*`/g, ' ');
}

function nextText(lines: readonly Line[], after: number): string {
	let at = after + 1;
	while (at < lines.length && lines[at]?.text.trim() === '') at += 1;
	return lines[at]?.text.slice(0, longestLine) ?? '';
}

/** Right before the tag: "no [HIGH] findings". */
const denied = /\b(?:no|zero|without)(?: any)?[\s*_]*$/i;
/** All that follows the tag. More than this is a finding: "None of the inputs are checked". */
const nothing =
	/^(?:none|nothing|n\/a|0|(?:no|0|zero)(?: (?:high|medium|low))?(?:[ -](?:severity|priority))? (?:findings?|issues?|problems?))(?: (?:found|identified|detected|reported|to report))?$/i;
const isNothing = (text: string): boolean => nothing.test(text.replace(/^[\s*_:;,.>|()+–—-]+|[\s*_:;,.|()+–—-]+$/g, ''));
const speaks = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

function tagOf(line: string, nextLine: () => string): Severity | null {
	const tags = [...line.matchAll(/\[(HIGH|MEDIUM|LOW)\]/gi)];
	// All three on one line is the legend.
	if (tags.length === 0 || new Set(tags.map((tag) => tag[1]?.toUpperCase())).size === 3) return null;
	const before = line.slice(0, tags[0]?.index);
	if (denied.test(before)) return null;
	const heads = !speaks(before) || before.trimStart().startsWith('#');
	const meant = tags.find((tag, n) => {
		const after = line.slice(tag.index + tag[0].length, tags[n + 1]?.index);
		// A tag alone is a heading over what follows.
		return !isNothing(heads && n === tags.length - 1 && !speaks(after) ? nextLine() : after);
	});
	return (meant?.[1]?.toLowerCase() ?? null) as Severity | null;
}
