/** Head and tail of a text that has more than `over` lines, and how many were left out between them. */
export function keepEnds(text: string, keep: { readonly over: number; readonly head: number; readonly tail: number }): string {
	const closed = text.endsWith('\n');
	const lines = (closed ? text.slice(0, -1) : text).split('\n');
	if (lines.length <= keep.over) return text;
	const left = lines.length - keep.head - keep.tail;
	const ends = [...lines.slice(0, keep.head), `[… ${left} lines left out …]`, ...lines.slice(lines.length - keep.tail)];
	return ends.join('\n') + (closed ? '\n' : '');
}

/** The same by size, for texts whose lines are endless. Never cuts a character in two. */
export function keepEndChars(text: string, head: number, tail: number): string {
	if (text.length <= head + tail) return text;
	const from = headOf(text, head);
	const to = tailOf(text, tail);
	return `${from}\n[… ${text.length - from.length - to.length} characters left out …]\n${to}`;
}

export function headOf(text: string, length: number): string {
	const end = Math.max(0, length);
	return text.slice(0, isLow(text, end) ? end - 1 : end);
}

export function tailOf(text: string, length: number): string {
	const start = Math.max(0, text.length - Math.max(0, length));
	return text.slice(isLow(text, start) ? start + 1 : start);
}

const isLow = (text: string, at: number): boolean => at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
