import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { attempt, DiskTrouble } from './disk.ts';

const forReading = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file's text, or null if it is not there, not a plain file, or larger than the limit. Never blocks on a FIFO. */
export function readText(file: string, maxBytes = 64 * 1024 * 1024): string | null {
	return readBytes(file, maxBytes)?.toString('utf8') ?? null;
}

export function readBytes(file: string, maxBytes = 64 * 1024 * 1024): Buffer | null {
	return withFile(file, (fd, size) => (size > maxBytes ? null : readFileSync(fd)));
}

/** For a file that must not be taken for empty because it cannot be read: null only if there is none. */
export function mustRead(file: string, maxBytes: number): string | null {
	return attempt('reading', file, () => {
		const fd = openIfThere(file);
		if (fd === null) return null;
		try {
			const stat = fstatSync(fd);
			if (!stat.isFile()) throw new DiskTrouble('EISDIR', file, 'reading');
			if (stat.size > maxBytes) throw new DiskTrouble('EFBIG', file, 'reading');
			return readFileSync(fd, 'utf8');
		} finally {
			closeSync(fd);
		}
	});
}

function openIfThere(file: string): number | null {
	try {
		return openSync(file, forReading);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}

/** A file that another program may have left half-written or full of garbage: null unless it is what it should be. */
export function readJson<T>(file: string, schema: z.ZodType<T>): T | null {
	const text = readText(file);
	if (text === null) return null;
	try {
		const parsed = schema.safeParse(JSON.parse(text));
		return parsed.success ? parsed.data : null;
	} catch {
		return null;
	}
}

/** Head and tail of a file that may be huge, with a mark where something was left out. */
export function readHeadAndTail(file: string, headBytes: number, tailBytes: number): { text: string; bytes: number } {
	return (
		withFile(file, (fd, size) => {
			if (size <= headBytes + tailBytes) return { text: readFileSync(fd, 'utf8'), bytes: size };
			const head = readAt(fd, 0, headBytes);
			const tail = readAt(fd, size - tailBytes, tailBytes);
			return { text: `${head}\n… ${size - headBytes - tailBytes} bytes left out …\n${tail}`, bytes: size };
		}) ?? { text: '', bytes: 0 }
	);
}

export function readTail(file: string, bytes: number): string {
	return withFile(file, (fd, size) => readAt(fd, Math.max(0, size - bytes), Math.min(bytes, size))) ?? '';
}

export function sizeOf(file: string): number | null {
	return withFile(file, (_fd, size) => size);
}

function readAt(fd: number, position: number, length: number): string {
	const buffer = Buffer.alloc(length);
	let at = 0;
	while (at < length) {
		const got = readSync(fd, buffer, at, length - at, position + at);
		if (got === 0) break;
		at += got;
	}
	return buffer.toString('utf8', 0, at);
}

function withFile<T>(file: string, use: (fd: number, size: number) => T): T | null {
	let fd: number;
	try {
		fd = openSync(file, forReading);
	} catch {
		return null;
	}
	try {
		const stat = fstatSync(fd);
		return stat.isFile() ? use(fd, stat.size) : null;
	} catch {
		return null;
	} finally {
		closeSync(fd);
	}
}
