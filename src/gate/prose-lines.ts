export interface Line {
	readonly text: string;
	/** Inside a fence (its own two lines included) or an indented code block: quoted, not said. */
	readonly code: boolean;
	/** The language tag, on the line that opens a fence. */
	readonly opens: string | null;
}

/** Nobody writes a heading, a verdict or a finding longer than this; what is longer is not worth a regular expression's time. */
export const longestLine = 4000;

interface Fence {
	readonly mark: string;
	readonly length: number;
}

/** The lines of a Markdown text, each knowing whether it is code. An unclosed fence reaches to the end, as in any renderer. */
export function proseLines(markdown: string): Line[] {
	const lines: Line[] = [];
	let fence: Fence | null = null;
	let inList = false;
	let afterBlank = true;
	let indentedCode = false;
	for (const text of markdown.split(/\r\n|\n|\r/)) {
		if (fence !== null) {
			lines.push({ text, code: true, opens: null });
			if (closes(text, fence)) fence = null;
			continue;
		}
		const blank = text.trim() === '';
		const indented = /^(?: {4}|\t)/.test(text);
		if (!blank && !indented) inList = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(text) || (inList && /^ {1,3}\S/.test(text));
		indentedCode = indented && !inList && (afterBlank || indentedCode);
		const opening = indentedCode ? null : openingFence(text, inList);
		if (opening !== null) fence = opening.fence;
		lines.push({ text, code: opening !== null || (indentedCode && !blank), opens: opening?.info ?? null });
		afterBlank = blank;
	}
	return lines;
}

function openingFence(text: string, inList: boolean): { fence: Fence; info: string } | null {
	const found = /^(\s*)(`{3,}|~{3,})(.*)$/.exec(text);
	if (found === null) return null;
	const [, indent = '', marks = '', info = ''] = found;
	// Deeper than three it is only a fence where a list item holds it.
	if (indent.length > 3 && !inList) return null;
	if (marks.startsWith('`') && info.includes('`')) return null;
	return { fence: { mark: marks.charAt(0), length: marks.length }, info: info.trim() };
}

function closes(text: string, fence: Fence): boolean {
	const bare = text.trim();
	return bare.length >= fence.length && bare === fence.mark.repeat(bare.length);
}
