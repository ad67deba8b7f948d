import type { Findings } from '../contract/evidence.ts';
import { type Line, longestLine, proseLines } from './prose-lines.ts';

/** Findings by their tags, one a line: a line that begins with a tag, or carries one without denying or explaining it. */
export function countFindings(answer: string): Findings {
	const count = { high: 0, medium: 0, low: 0 };
	const lines = proseLines(answer);
	for (const [index, { text, code }] of lines.entries()) {
		if (code) continue;
		const tag = tagOf(text.slice(0, longestLine).replace(/`[^`]*`/g, ' '), () => nextText(lines, index));
		if (tag !== null) count[tag] += 1;
	}
	return count;
}

type Severity = keyof Findings;

function nextText(lines: readonly Line[], after: number): string {
	let at = after + 1;
	while (at < lines.length && lines[at]?.text.trim() === '') at += 1;
	return lines[at]?.text.slice(0, longestLine) ?? '';
}

const denial = /^[\s*_:.>+–—-]*(?:none|nothing|n\/a|no findings?|no issues?|0)\b/i;

function tagOf(line: string, nextLine: () => string): Severity | null {
	const tags = [...line.matchAll(/\[(HIGH|MEDIUM|LOW)\]/gi)];
	const [first] = tags;
	if (first?.[1] === undefined) return null;
	const before = line.slice(0, first.index);
	const after = line.slice(first.index + first[0].length);
	// A tag alone is a heading over what follows.
	if (denial.test(/[\p{L}\p{N}]/u.test(after) ? after : nextLine())) return null;
	if (/\b(?:no|zero|without)\b/i.test(before)) return null;
	// All three on one line is the legend.
	if (new Set(tags.map((tag) => tag[1]?.toUpperCase())).size === 3) return null;
	return first[1].toLowerCase() as Severity;
}
