import { type Document, isNode, isScalar, visit, type YAMLError } from 'yaml';
import { openBracket, openQuote, syntaxMessage } from './yaml-words.ts';

export interface SyntaxProblem {
	readonly offset: number;
	readonly message: string;
}

/**
 * Syntax errors in our words. A quote that is never closed, and a bracket still open at the end of the text, are noticed where
 * nothing stands any more: shown is where they were opened.
 */
export function syntaxProblems(doc: Document, errors: readonly YAMLError[], source: string): readonly SyntaxProblem[] {
	const end = source.trimEnd().length;
	let openings: ReadonlyMap<number, number> | null = null;
	return errors.map((error) => {
		const [offset] = error.pos;
		const message = syntaxMessage(error);
		if (message !== openQuote && offset < end) return { offset, message };
		openings ??= openingsByEnd(doc, source);
		const opened = openings.get(offset);
		if (opened === undefined) return { offset, message };
		return { offset: opened, message: /["']/.test(source[opened]!) ? openQuote : openBracket };
	});
}

/** Where quotes and brackets open, by where they end. Of several that end at one place the innermost counts: it is met last. */
function openingsByEnd(doc: Document, source: string): ReadonlyMap<number, number> {
	const openings = new Map<number, number>();
	visit(doc, (_, node) => {
		if (!isNode(node) || !node.range) return;
		const [start, end] = node.range;
		// A pair within a list is a map without brackets.
		const marks = isScalar(node) ? '"\'' : '[{';
		if (marks.includes(source[start] ?? ' ')) openings.set(end, start);
	});
	return openings;
}
