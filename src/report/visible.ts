/**
 * What a servant or a file said, as it may be shown: nothing in it can move the cursor, recolour the terminal, turn
 * the reading direction or hide. Newlines stay.
 */
export function visible(text: string): string {
	if (plain.test(text)) return text;
	return text.replaceAll('\r\n', '\n').replace(hidden(), (char) => (char === '\n' ? char : char === '\t' ? '    ' : spelled(char)));
}

/** Most texts, which need not wait for the tables of all characters. */
const plain = /^[\n\x20-\x7e]*$/;

const plainLine = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** The same on one line. */
export function visibleLine(text: string): string {
	if (plainLine.test(text)) return text;
	return visible(text)
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '')
		.join(' ');
}

/**
 * Controls (C0, DEL, C1), format characters (bidi, zero-width, tags), line and paragraph separators, lone surrogates, and the
 * letters that are drawn as nothing.
 */
export const hidden = (): RegExp => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0\ufffe\uffff]|\u034f|[\u{e0100}-\u{e01ef}]/gu;

function spelled(char: string): string {
	const code = char.codePointAt(0)!;
	if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
	if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
	return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
