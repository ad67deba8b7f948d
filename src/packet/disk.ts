import {
	close,
	closeSync,
	constants,
	existsSync,
	fsync,
	linkSync,
	mkdirSync,
	openSync,
	renameSync,
	rmdir,
	rmdirSync,
	rmSync,
	unlinkSync,
	writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomName } from './random-name.ts';

/** The disk said no (full, read-only, vanished, not permitted). Foreseen, but possible at every write: caught once, where a run ends. */
export class DiskTrouble extends Error {
	constructor(
		readonly code: string,
		readonly path: string,
		readonly doing: string,
	) {
		super(`${doing} ${path}: ${meaning[code] ?? code}`);
	}

	/** Not of this path alone: whoever writes now meets it too. */
	get isEverywhere(): boolean {
		return everywhere.has(this.code);
	}
}

const everywhere: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE']);

/** What an error says about the disk, whoever met it; null if it is about something else. */
export function diskTroubleIn(error: unknown): DiskTrouble | null {
	if (error instanceof DiskTrouble) return error;
	const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
	if (code === undefined || path === undefined || !(code in meaning)) return null;
	return new DiskTrouble(code, path, `${syscall ?? 'using'}:`);
}

const meaning: Readonly<Record<string, string>> = {
	ENOSPC: 'no space left on the disk',
	EDQUOT: 'the disk quota is used up',
	EIO: 'the disk reported an input/output error',
	EROFS: 'the file system is read-only',
	EACCES: 'permission denied',
	EPERM: 'operation not permitted',
	ENOENT: 'the directory is gone',
	ENOTDIR: 'a part of the path is not a directory',
	ELOOP: 'a symbolic link stands where a file of ours should be',
	EMFILE: 'too many open files',
	EEXIST: 'the file exists already',
	EFBIG: 'the file is too large',
	EISDIR: 'this is no plain file',
};

/** A file written beside its place, not yet visible under its name. */
export interface Prepared {
	readonly file: string;
	readonly temp: string;
	readonly isLink?: boolean;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

export function prepare(file: string, data: string | Uint8Array, mode = 0o644): Prepared {
	const temp = draftOf(file);
	attempt('writing', file, () => create(temp, data, mode));
	return { file, temp };
}

function create(file: string, data: string | Uint8Array, mode: number): void {
	const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode);
	try {
		writeAll(fd, data);
	} catch (error) {
		// A full disk needs no half files.
		rmSync(file, { force: true });
		throw error;
	} finally {
		closeSync(fd);
	}
}

let drafts: number | null = null;

/** A name of our own beside the file: begun at random, because other processes write here too, and counted on from there. */
function draftOf(file: string): string {
	drafts = drafts === null ? Number.parseInt(randomName(12), 16) : (drafts + 1) % 2 ** 48;
	return join(dirname(file), `.${basename(file)}.${drafts.toString(16).padStart(12, '0')}.tmp`);
}

/** A second name for an existing file, not yet visible under its name: publishing costs no copy. */
export function prepareLink(file: string, existing: string): Prepared {
	const temp = draftOf(file);
	attempt('linking', file, () => linkSync(existing, temp));
	return { file, temp, isLink: true };
}

/** A second name for a finished file, in one step where the name is still free. */
export function publishLink(file: string, existing: string): void {
	const isNew = attempt('linking', file, () => isFree(() => linkSync(existing, file)));
	if (!isNew) publish(prepareLink(file, existing));
}

export function publish(...prepared: readonly Prepared[]): void {
	for (const { file, temp, isLink } of prepared) {
		attempt('publishing', file, () => replacing(file, () => renameSync(temp, file)));
		// Renaming one name of a file over another of the same file does nothing, and leaves both.
		if (isLink) remove(temp);
	}
}

/**
 * A file whose name is taken away is gone only when nobody holds it any more. To give its room back may take a disk longer than all the
 * rest, so we hold it a moment longer, and let go while others work.
 */
function replacing(file: string, replace: () => void): void {
	const old = openIfThere(file);
	try {
		replace();
	} finally {
		if (old !== null) close(old, () => undefined);
	}
}

function openIfThere(file: string): number | null {
	if (!existsSync(file)) return null;
	try {
		return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	} catch {
		return null;
	}
}

/** Appears whole or not at all. Not yet durable: see `sync`. */
export function writeWhole(file: string, data: string | Uint8Array, mode = 0o644): void {
	publish(prepare(file, data, mode));
}

/** A file that nobody looks for until the journal tells of it: it takes its name at once, where that is free. */
export function writeOwn(file: string, data: string | Uint8Array, mode = 0o644): void {
	const isNew = attempt('writing', file, () => isFree(() => create(file, data, mode)));
	// Half of it, left by a run that died, or something that is not ours.
	if (!isNew) writeWhole(file, data, mode);
}

/** Whether the name was free, and is taken now. */
function isFree(take: () => void): boolean {
	try {
		take();
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

export function writeJson(file: string, value: unknown, mode = 0o644): void {
	writeWhole(file, `${JSON.stringify(value, null, 2)}\n`, mode);
}

/** One write call, so that lines of one append stand or fall together as far as the kernel allows. */
export function append(file: string, data: string, mode = 0o644): void {
	attempt('appending to', file, () => {
		const fd = openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode);
		try {
			writeAll(fd, data);
		} finally {
			closeSync(fd);
		}
	});
}

/** Files and directories reach the disk, all at once: the cost follows the number of barriers, not of files. */
export async function sync(paths: readonly string[]): Promise<void> {
	await Promise.all(paths.map(syncOne));
}

function syncOne(path: string): Promise<void> {
	return new Promise((resolve, reject) => {
		let fd: number;
		try {
			fd = openSync(path, constants.O_RDONLY | O_NOFOLLOW);
		} catch (error) {
			reject(troubleOf('syncing', path, error));
			return;
		}
		fsync(fd, (error) => {
			closeSync(fd);
			// Some file systems refuse fsync on a directory; there is nothing better to do there.
			if (error && error.code !== 'EINVAL') reject(troubleOf('syncing', path, error));
			else resolve();
		});
	});
}

export function ensureDir(dir: string, mode = 0o755): void {
	attempt('creating', dir, () => {
		try {
			mkdirSync(dir, { recursive: true, mode });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') makeFirstMissing(dir, mode);
			throw error;
		}
	});
}

/** Whatever stands in the way (a read-only file system, say), node's recursive mkdir may call it ENOENT; a single step is told the truth. */
function makeFirstMissing(dir: string, mode: number): void {
	const parent = dirname(dir);
	if (parent === dir || existsSync(parent)) mkdirSync(dir, { mode });
	else makeFirstMissing(parent, mode);
}

export function remove(file: string): void {
	attempt('removing', file, () => {
		try {
			unlinkSync(file);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		}
	});
}

/** For what is in nobody's way if it stays: a lock that names the dead, a draft. */
export function removeQuietly(file: string): void {
	try {
		unlinkSync(file);
	} catch {
		// It stays.
	}
}

/** While others work: most of them are empty. */
export function removeTreeSoon(dir: string): Promise<void> {
	return new Promise((resolve, reject) => {
		rmdir(dir, (error) => {
			try {
				if (error !== null) removeTree(dir);
				resolve();
			} catch (trouble) {
				reject(trouble);
			}
		});
	});
}

export function removeTree(dir: string): void {
	attempt('removing', dir, () => {
		try {
			// Most of them are empty, and a walk costs more than all the rest.
			rmdirSync(dir);
		} catch {
			rmSync(dir, { recursive: true, force: true });
		}
	});
}

/** Runs a file operation; what the disk refuses becomes DiskTrouble. */
export function attempt<T>(doing: string, path: string, operation: () => T): T {
	try {
		return operation();
	} catch (error) {
		throw troubleOf(doing, path, error);
	}
}

function troubleOf(doing: string, path: string, error: unknown): unknown {
	if (error instanceof DiskTrouble) return error;
	const code = (error as NodeJS.ErrnoException).code;
	return code === undefined ? error : new DiskTrouble(code, path, doing);
}

function writeAll(fd: number, data: string | Uint8Array): void {
	const bytes = typeof data === 'string' ? Buffer.from(data) : data;
	for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
