import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { sha256 } from '../contract/sha256.ts';
import { type Gap, type Source, type SourceKind, showNul, visible } from './source.ts';

/** What is shown of one input at most, half from each end. */
export const shownBytes = 8 * 1024 * 1024;
/** Read beyond what is shown, so that a secret across the cut is still seen whole when it is looked for. */
export const marginBytes = 64 * 1024;
/** Beyond this both ends and the size stand for the whole: reading it all would take minutes. */
const hashedBytes = 256 * 1024 * 1024;
const sniffedBytes = 8 * 1024;
const chunkBytes = 1024 * 1024;

export type ReadInput = { readonly kind: 'source'; readonly source: Source } | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a regular file whose links are already resolved. Never waits: a pipe or a device is not opened. */
export function readInput(kind: SourceKind, label: string, file: string): ReadInput {
	let fd: number;
	try {
		const odd = oddity(lstatSync(file));
		if (odd !== null) return { kind: 'unreadable', reason: `is ${odd}, not a file` };
		fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		return { kind: 'unreadable', reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
	}
	try {
		const stats = fstatSync(fd);
		const odd = oddity(stats);
		if (odd !== null) return { kind: 'unreadable', reason: `is ${odd}, not a file` };
		return { kind: 'source', source: sourceOf(kind, visible(label), fd, stats.size) };
	} catch (error) {
		return { kind: 'unreadable', reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
	} finally {
		closeSync(fd);
	}
}

/** What a thing is that is no regular file; null for one that is. */
export function oddity(stats: Stats): string | null {
	if (stats.isFile()) return null;
	if (stats.isDirectory()) return 'a directory';
	if (stats.isFIFO()) return 'a named pipe';
	if (stats.isSocket()) return 'a socket';
	return stats.isSymbolicLink() ? 'a link' : 'a device';
}

/** The named stand-in for something that is not inlined. */
export function unread(kind: SourceKind, label: string, note: string): Source {
	const text = `(${note})`;
	return { kind, path: visible(label), text, bytes: 0, sha256: sha256(text), note, gap: null };
}

function sourceOf(kind: SourceKind, path: string, fd: number, size: number): Source {
	const half = shownBytes / 2 + marginBytes;
	if (size <= 2 * half) {
		const data = readRange(fd, 0, size);
		return isBinary(data) ? binary(kind, path, data.length, sha256(data)) : decoded({ kind, path }, [data], null);
	}
	const [head, tail] = [readRange(fd, 0, half), readRange(fd, size - half, half)];
	const whole = { bytes: size, sha256: size > hashedBytes ? sha256(Buffer.concat([head, tail, Buffer.from(String(size))])) : hashOf(fd) };
	if (isBinary(head)) return binary(kind, path, whole.bytes, whole.sha256);
	return { ...decoded({ kind, path }, [head, tail], size - 2 * half), ...whole };
}

function decoded(what: { kind: SourceKind; path: string }, parts: readonly Buffer[], missing: number | null): Source {
	const texts = parts.map((part) => showNul(part.toString('utf8')));
	const gap: Gap | null = missing === null ? null : { at: texts[0]!.length, bytes: missing };
	const bytes = Buffer.concat(parts);
	return { ...what, text: texts.join(''), bytes: bytes.length, sha256: sha256(bytes), note: null, gap };
}

function binary(kind: SourceKind, path: string, bytes: number, hash: string): Source {
	const text = `(binary, not inlined: ${bytes} bytes, sha256 ${hash})`;
	return { kind, path, text, bytes, sha256: hash, note: 'binary, not inlined', gap: null };
}

const isBinary = (data: Buffer): boolean => data.subarray(0, sniffedBytes).includes(0);

/** Short when the file shrank meanwhile. */
function readRange(fd: number, from: number, length: number): Buffer {
	const buffer = Buffer.alloc(length);
	let filled = 0;
	while (filled < length) {
		const count = readSync(fd, buffer, filled, length - filled, from + filled);
		if (count === 0) break;
		filled += count;
	}
	return buffer.subarray(0, filled);
}

function hashOf(fd: number): string {
	const hash = createHash('sha256');
	const buffer = Buffer.alloc(chunkBytes);
	for (let at = 0; ; ) {
		const count = readSync(fd, buffer, 0, chunkBytes, at);
		if (count === 0) return hash.digest('hex');
		hash.update(buffer.subarray(0, count));
		at += count;
	}
}
