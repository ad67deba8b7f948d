import { keepEnds } from './keep-ends.ts';
import { readMarkdown } from './markdown.ts';

const keptTitle = /^(?:goals?|non[- ]?goals?|scope|acceptance|fixed decisions?|files to read|prohibited(?: actions?)?)\b/i;
const sectionLines = 40;
const otherwiseLines = 100;

/** The sections a servant cannot do without, in their order, each at most 40 lines; a pack without any of them: its first 100 lines. */
export function digestContextPack(text: string): string {
	const { lines, headings } = readMarkdown(text.trimEnd());
	const sections = headings.flatMap((heading, n) => {
		if (!keptTitle.test(heading.title)) return [];
		// A kept heading below another kept one starts its own section, so nothing is said twice.
		const next = headings.slice(n + 1).find((h) => h.level <= heading.level || keptTitle.test(h.title));
		return [cut(lines.slice(heading.line, next?.line), sectionLines)];
	});
	// The hundred are the pack's own: the line that tells what is missing comes on top.
	return `${sections.length > 0 ? sections.join('\n\n') : cut(lines, otherwiseLines, otherwiseLines)}\n`;
}

/** A log of more than 400 lines keeps its first and last 200. */
export function trimLog(text: string): string {
	return keepEnds(text, { over: 400, head: 200, tail: 200 });
}

/** Of a text with more than `most` lines it keeps `kept`, by default one less: the line that tells what is missing counts as one of them. */
function cut(lines: readonly string[], most: number, kept = most - 1): string {
	const end = lines.findLastIndex((line) => line.trim() !== '') + 1;
	if (end <= most) return lines.slice(0, end).join('\n');
	return [...lines.slice(0, kept), `[… ${end - kept} lines left out]`].join('\n');
}
