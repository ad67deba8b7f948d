import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';

/** What people write by hand is far smaller; what is larger is a mistake or an attack. */
export const maxBytes = 1024 * 1024;
export const tooLarge = 'the file is larger than 1 MiB';

/** The text of a file, if it is text that a person could have written. */
export function decodeText(text: string | Uint8Array, file: string): Outcome<string, Complaint> {
	const refuse = (message: string, at?: { line: number; col: number; excerpt: string }) =>
		fail<Complaint>({ level: 'error', file, line: at?.line ?? null, col: at?.col ?? null, message, excerpt: at?.excerpt ?? null });
	if (text.length > maxBytes || (typeof text === 'string' && Buffer.byteLength(text) > maxBytes)) return refuse(tooLarge);
	const decoded = typeof text === 'string' ? text.replace(/^\uFEFF/, '') : decodeBytes(text);
	if (decoded === null) return refuse('the file is not UTF-8 text', firstBadByte(text as Uint8Array));
	// YAML forbids them, and its lexer uses some of them as marks of its own.
	const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(decoded);
	if (control === null) return pass(decoded);
	const name = control[0] === '\0' ? 'a NUL byte' : `the control character U+${hex(control[0])}`;
	return refuse(`${name} is not allowed; is this a text file?`, at(decoded, control.index));
}

function decodeBytes(bytes: Uint8Array): string | null {
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
	// What stands for a bad byte may also be written; the strict decoder, which takes longer to make, knows.
	if (!text.includes('\ufffd')) return text.replace(/^\uFEFF/, '');
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return null;
	}
}

function firstBadByte(bytes: Uint8Array): { line: number; col: number; excerpt: string } {
	let start = 0;
	for (let line = 1; ; line++) {
		const newline = bytes.indexOf(10, start);
		const piece = bytes.subarray(start, newline === -1 ? bytes.length : newline);
		if (newline === -1 || decodeBytes(piece) === null) {
			const excerpt = new TextDecoder().decode(piece);
			return { line, col: excerpt.indexOf('\uFFFD') + 1 || 1, excerpt };
		}
		start = newline + 1;
	}
}

function at(text: string, offset: number): { line: number; col: number; excerpt: string } {
	const start = text.lastIndexOf('\n', offset - 1) + 1;
	const end = text.indexOf('\n', offset);
	const line = text.slice(0, start).split('\n').length;
	return { line, col: offset - start + 1, excerpt: text.slice(start, end === -1 ? undefined : end) };
}

const hex = (char: string) => char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
