import { Verdict } from '../contract/words.ts';
import { longestLine, proseLines } from './prose-lines.ts';

export interface VerdictReading {
	readonly verdict: Verdict | null;
	/** The answer states two different verdicts: no verdict at all, and something for a human to read. */
	readonly contradictory: boolean;
}

/** `Verdict: APPROVED`, also in bold, as a list item, as a heading or under a heading `Verdict`. Quoted ones do not count. */
export function verdictOf(answer: string): VerdictReading {
	const stated = new Set<Verdict>();
	let underHeading = false;
	for (const { text, code } of proseLines(answer)) {
		if (code || text.length > longestLine) continue;
		const plain = text.replace(/[*_`]+(?=\W|$)|(?<=^|\W)[*_`]+/g, '').replace(/^[\s>#|]*(?:[-+•]\s+|\d+[.)]\s+)?/, '');
		if (plain.trim() === '') continue;
		const said = /^(?:(?:final|overall|my)\s+)?verdict\b\s*(?:\bis\b)?\s*[:：=–—-]*\s*(.*)$/i.exec(plain);
		const words = wordsIn(said?.[1] ?? (underHeading && startsWithWord(plain) ? plain : ''));
		// A line that names several repeats the choices it was given.
		if (words.length === 1 && words[0] !== undefined) stated.add(words[0]);
		underHeading = said !== null && (said[1] ?? '').trim() === '';
	}
	const [first] = stated;
	return { verdict: stated.size === 1 && first !== undefined ? first : null, contradictory: stated.size > 1 };
}

/** "Not approved", "cannot be approved yet": somewhere before the word, in the same clause. */
const denied = /\b(?:NOT|CANNOT|NEVER|NO|WITHOUT|[A-Z]+N['’]T)\b[^.,;:!?()–—]*$/;

function wordsIn(text: string): Verdict[] {
	const upper = text.toUpperCase();
	return Verdict.options.filter((word) => {
		const said = new RegExp(`(?<![A-Z])${word.replace('_', '[\\s_-]+')}(?![A-Z])`).exec(upper);
		return said !== null && !denied.test(upper.slice(Math.max(0, said.index - 200), said.index));
	});
}

const startsWithWord = (text: string) =>
	Verdict.options.some((word) =>
		text
			.trim()
			.toUpperCase()
			.replace(/[\s-]+/g, '_')
			.startsWith(word),
	);
