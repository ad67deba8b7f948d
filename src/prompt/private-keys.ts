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

/** Where the lines of a key begin whose end has not come yet, in a text of whole lines that goes on; its length if there is none. */
export function openKeyAt(text: string): number {
	const last = text.includes('PRIVATE KEY') ? [...text.matchAll(begin)].at(-1) : undefined;
	if (last === undefined || text.length - last.index > longest) return text.length;
	const [behind = '', ...lines] = text.slice(last.index + last[0].length).split('\n');
	const isOpen = /^[\s"',|\\]*$/.test(behind) && lines.every((line) => keyLine.test(line));
	return isOpen ? text.lastIndexOf('\n', last.index) + 1 : text.length;
}

/** Base64, a header, or nothing: what may stand between BEGIN and END. */
const keyLine = /^[\s>|"',\\-]*(?:[A-Za-z0-9+/=\\]*|[A-Za-z][A-Za-z-]{1,30}:[^\n]{0,200})[\s"',\\]*$/;
