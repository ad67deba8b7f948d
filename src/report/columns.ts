/** Columns a terminal gives to a text that is already `visible`. */
export function width(text: string): number {
	if (plain.test(text)) return text.length;
	let columns = 0;
	for (const char of text) columns += widthOf(char);
	return columns;
}

/**
 * At most `columns` of a one-line text, ending in … where something was left out. A character counts for the most that any
 * reader could count (columns, code points or UTF-16 units), so the result is short enough for all of them.
 */
export function cut(text: string, columns: number): string {
	if (columns < 1) return '';
	if (text.length <= columns && plain.test(text)) return text;
	let used = 0;
	let end = 0;
	let keep = 0;
	for (const char of text) {
		used += columnsAtMost(char);
		if (used > columns) return `${text.slice(0, keep)}…`;
		end += char.length;
		if (used <= columns - 1) keep = end;
	}
	return text;
}

/** The same of its end: at most `columns`, beginning with … where something was left out. */
export function cutStart(text: string, columns: number): string {
	if (cut(text, columns) === text) return text;
	let used = 1;
	let start = text.length;
	for (const char of [...text].reverse()) {
		used += columnsAtMost(char);
		if (used > columns) break;
		start -= char.length;
	}
	return `…${text.slice(start)}`;
}

export function pad(text: string, columns: number): string {
	return text + ' '.repeat(Math.max(0, columns - width(text)));
}

/** Lines of at most `columns`, broken at a space where there is one in the second half. */
export function wrap(text: string, columns: number): string[] {
	const lines: string[] = [];
	let rest = text;
	while (rest !== '') {
		const whole = cut(rest, columns);
		if (whole === rest) return [...lines, rest];
		const room = whole.slice(0, -1);
		const space = room.lastIndexOf(' ');
		const line = space > room.length / 2 ? room.slice(0, space) : room;
		lines.push(line);
		rest = rest.slice(line.length).trimStart();
	}
	return lines;
}

const columnsAtMost = (char: string): number => Math.max(1, char.length, widthOf(char));

/** Most texts: a column a character. */
const plain = /^[\x20-\x7e]*$/;

function widthOf(char: string): number {
	if (plain.test(char)) return 1;
	kinds ??= { nothing: /^\p{M}$/u, wide: wide() };
	if (kinds.nothing.test(char)) return 0;
	return kinds.wide.test(char) ? 2 : 1;
}

/** Made for the first character that is not ASCII: the tables of all characters take a while. */
let kinds: { readonly nothing: RegExp; readonly wide: RegExp } | null = null;
const wide = (): RegExp =>
	/^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u;
