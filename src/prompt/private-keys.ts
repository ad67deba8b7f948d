import type { Span } from './span.ts';

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Headers, then lines of base64, however they are indented, quoted or escaped: what is left of a key whose end is missing. */
const body =
	/(?:\s*[A-Za-z][A-Za-z-]{1,30}:[^\n]{0,200}\n){0,5}[\s>|"',\\-]*[A-Za-z0-9+/=]{16,}(?:[\s>|"',\\-]+[A-Za-z0-9+/=]{16,})*(?:[\s>|"',\\-]+[A-Za-z0-9+/]{2,15}={1,2})?/y;
/** Longer than any key, so that two lines that merely name the markers do not swallow what lies between. */
const longest = 64 * 1024;

/** Private-key blocks from BEGIN to END. One pass: ends are looked up in order, never searched for again. */
export function findPrivateKeys(text: string): Span[] {
	if (!text.includes('PRIVATE KEY')) return [];
	const begins = [...text.matchAll(begin)];
	const ends = [...text.matchAll(end)];
	const spans: Span[] = [];
	let e = 0;
	begins.forEach((match, b) => {
		const from = match.index;
		while (e < ends.length && ends[e]!.index < from) e += 1;
		const close = ends[e];
		const nextBegin = begins[b + 1]?.index ?? Number.POSITIVE_INFINITY;
		if (close && close.index < nextBegin && close.index - from <= longest) spans.push([from, close.index + close[0].length]);
		else spans.push([from, bodyEnd(text, from + match[0].length)]);
	});
	return spans;
}

function bodyEnd(text: string, at: number): number {
	body.lastIndex = at;
	return body.test(text) ? body.lastIndex : at;
}
