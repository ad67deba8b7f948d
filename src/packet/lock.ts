import { linkSync, lstatSync, readdirSync, renameSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { sha256 } from '../contract/sha256.ts';
import { LockFile, type ProcessIdentity } from '../contract/state-files.ts';
import { attempt, DiskTrouble, ensureDir, type Prepared, prepare, remove, removeQuietly } from './disk.ts';
import { randomName } from './random-name.ts';
import { readText } from './read.ts';

/** Somebody else owns what we thought was ours. The run ends without another write. */
export class LockLost extends Error {}

export interface Lock {
	readonly file: string;
	readonly held: LockFile;
	/** Throws LockLost unless the lock is still ours. Asked before every write of state. */
	readonly check: () => void;
	readonly release: () => void;
}

/** Whether the process that a lock names still runs; `unknown` (another host) is never taken over. */
export type Liveness = (owner: ProcessIdentity) => 'alive' | 'dead' | 'unknown';

export interface LockRequest {
	readonly file: string;
	readonly self: ProcessIdentity;
	readonly command: string;
	readonly now: string;
	readonly liveness: Liveness;
}

/** The lock is held by somebody who lives, or who cannot be shown to be dead. */
export interface Locked {
	readonly owner: LockFile | null;
	readonly alive: 'alive' | 'unknown';
}

/**
 * One owner per lock file. Taken by linking a finished file into place, so it is never seen half-written. A dead
 * owner's lock is taken over through a second lock named after the dead owner's token: that name is used once, so of
 * many contenders one wins, and a contender that died in between is itself taken over the same way.
 */
export function acquireLock(request: LockRequest): Outcome<Lock, Locked> {
	const held: LockFile = { schema: 1, ...request.self, token: randomName(24), since: request.now, command: request.command };
	const temp = prepareIn(request.file, `${JSON.stringify(held)}\n`).temp;
	try {
		const refusal = take(request.file, temp, held, request.liveness, 0);
		if (refusal !== null) return fail(refusal);
		removeAbandoned(dirname(request.file), request);
		return pass(lockOf(request.file, held));
	} finally {
		remove(temp);
	}
}

/** The directory is there but for the first time. */
function prepareIn(file: string, text: string): Prepared {
	try {
		return prepare(file, text);
	} catch (error) {
		if (!(error instanceof DiskTrouble) || error.code !== 'ENOENT') throw error;
		ensureDir(dirname(file));
		return prepare(file, text);
	}
}

function take(file: string, temp: string, held: LockFile, liveness: Liveness, depth: number): Locked | null {
	for (let round = 0; round < 200; round++) {
		if (linked(temp, file)) return null;
		const found = readLock(file);
		if (found === 'gone') continue;
		const standing = found.lock === null ? 'dead' : liveness(found.lock);
		if (standing !== 'dead' || depth > 50) return { owner: found.lock, alive: standing === 'dead' ? 'unknown' : standing };
		const successor = join(dirname(file), `lock.after.${found.key}`);
		const refusal = take(successor, temp, held, liveness, depth + 1);
		if (refusal !== null) return refusal;
		const still = readLock(file);
		if (still !== 'gone' && still.key === found.key) {
			attempt('taking', file, () => renameSync(successor, file));
			return null;
		}
		remove(successor);
	}
	// Something stands there that is neither a lock nor going away (a directory, an unreadable file): a human must look.
	return { owner: null, alive: 'unknown' };
}

/** Drafts and successors of contenders that died over them. One that cannot be read may be a draft that is just being written. */
function removeAbandoned(dir: string, { liveness, now }: LockRequest): void {
	for (const entry of readdirSync(dir)) {
		if (!/^(\.lock\.[0-9a-f]+\.tmp|lock\.after\..+)$/.test(entry)) continue;
		const file = join(dir, entry);
		const found = readLock(file);
		if (found === 'gone') continue;
		if (found.lock === null ? isOld(file, now) : liveness(found.lock) === 'dead') remove(file);
	}
}

const draftMs = 60_000;

function isOld(file: string, now: string): boolean {
	const stat = statSync(file, { throwIfNoEntry: false });
	return stat !== undefined && Date.parse(now) - stat.mtimeMs > draftMs;
}

function linked(temp: string, file: string): boolean {
	return attempt('locking', file, () => {
		try {
			linkSync(temp, file);
			return true;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
			throw error;
		}
	});
}

/** A lock full of garbage has no owner; its content's hash names its successor. */
function readLock(file: string): 'gone' | { readonly lock: LockFile | null; readonly key: string } {
	const text = readText(file);
	if (text === null) return 'gone';
	const lock = parseLock(text);
	return { lock, key: lock?.token ?? sha256(text).slice(0, 24) };
}

function parseLock(text: string): LockFile | null {
	try {
		const parsed = LockFile.safeParse(JSON.parse(text));
		return parsed.success && /^[0-9a-f]{8,64}$/.test(parsed.data.token) ? parsed.data : null;
	} catch {
		return null;
	}
}

function lockOf(file: string, held: LockFile): Lock {
	let known: Stats | undefined;
	/** Read once, then known by inode and time of change: whoever takes it over puts another file in its place. */
	const ours = () => {
		const now = lstatSync(file, { throwIfNoEntry: false });
		if (now !== undefined && now.ino === known?.ino && now.ctimeMs === known.ctimeMs) return true;
		const isOurs = readText(file, 64 * 1024)?.includes(held.token) ?? false;
		known = isOurs ? now : undefined;
		return isOurs;
	};
	return {
		file,
		held,
		check: () => {
			if (!ours()) throw new LockLost(`${file} is no longer held by this run`);
		},
		release: () => {
			// One that cannot be removed names a process that is about to be gone: the next run takes it over.
			if (ours()) removeQuietly(file);
		},
	};
}

/** Who holds a packet, for those who only look. */
export function lockOwner(
	file: string,
	liveness: Liveness,
): { readonly owner: LockFile; readonly alive: 'alive' | 'dead' | 'unknown' } | null {
	const found = readLock(file);
	if (found === 'gone' || found.lock === null) return null;
	return { owner: found.lock, alive: liveness(found.lock) };
}
