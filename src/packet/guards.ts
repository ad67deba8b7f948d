import { readdirSync, rmdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from '../contract/sha256.ts';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { remove } from './disk.ts';
import { acquireLock, type Liveness, type Lock, lockOwner } from './lock.ts';
import { guardsDir } from './names.ts';
import { randomName } from './random-name.ts';

/**
 * Guards shared by all packets of a project: who works in a work tree (one writer or many readers), and how many calls
 * a servant serves at once. Each guard is a small lock file that names its process, so what a dead one left is no obstacle.
 */
export interface GuardRequest {
	readonly root: string;
	readonly self: ProcessIdentity;
	readonly command: string;
	readonly now: () => string;
	readonly liveness: Liveness;
}

export type Guard = Pick<Lock, 'release'>;

/** A place among the at most `max` calls of a servant, or null if all are taken. */
export function takeSlot(request: GuardRequest, tool: string, max: number): Lock | null {
	const dir = join(guardsDir(request.root), 'slots', tool);
	for (let n = 1; n <= max; n++) {
		const taken = acquireLock({ ...request, now: request.now(), file: join(dir, String(n), 'lock') });
		if (taken.ok) return taken.value;
	}
	return null;
}

/** The work tree for reading (shared) or writing (alone), or null if somebody is in the way. */
export function takeTree(request: GuardRequest, dir: string, access: 'read' | 'write'): Guard | null {
	const home = join(guardsDir(request.root), 'trees', sha256(dir).slice(0, 16));
	const writer = join(home, 'writer', 'lock');
	if (access === 'read') {
		const mine = joinReaders(request, home);
		if (mine === null || !held(writer, request.liveness)) return mine;
		mine.release();
		return null;
	}
	const mine = acquireLock({ ...request, now: request.now(), file: writer });
	if (!mine.ok) return null;
	// Announced first, so that no new reader comes; those inside may finish.
	if (!readersInside(home, request.liveness)) return mine.value;
	mine.value.release();
	return null;
}

let label: string | null = null;

/** Readers of this process by their common lock. */
const readers = new Map<string, { readonly lock: Lock; count: number }>();

/**
 * All readers of this process share one lock file. The last one leaves it there for a moment: in a chain the next stage follows at
 * once, and would only make the same file again.
 */
function joinReaders(request: GuardRequest, home: string): Guard | null {
	// A number alone may be another's too, in another container.
	label ??= `reader-${request.self.pid}-${randomName(8)}`;
	const dir = join(home, label);
	const file = join(dir, 'lock');
	const known = readers.get(file);
	const taken = known === undefined ? acquireLock({ ...request, now: request.now(), file }) : null;
	if (taken?.ok === false) return null;
	const shared = known ?? { lock: taken!.value, count: 0 };
	readers.set(file, shared);
	shared.count += 1;
	return {
		release: () => {
			shared.count -= 1;
			setImmediate(() => {
				if (shared.count > 0 || readers.get(file) !== shared) return;
				readers.delete(file);
				shared.lock.release();
				removeEmpty(dir);
			});
		},
	};
}

/** What dead processes left is no obstacle, but need not lie there for ever. Each is taken before it is removed, as anybody would take it. */
export function removeDeadGuards(request: GuardRequest): void {
	const home = guardsDir(request.root);
	const dirs = ['trees', 'slots'].flatMap((kind) =>
		entriesOf(join(home, kind)).flatMap((of) => entriesOf(join(home, kind, of)).map((one) => join(home, kind, of, one))),
	);
	for (const dir of dirs) {
		const file = join(dir, 'lock');
		const inside = entriesOf(dir);
		// A lock without an owner is what a power cut left of it; a draft alone, what a crash did.
		if (inside.length > 0 && (lockOwner(file, request.liveness)?.alive ?? 'dead') === 'dead') {
			const taken = acquireLock({ ...request, now: request.now(), file });
			if (taken.ok) taken.value.release();
		}
		if (basename(dir).startsWith('reader-') && (inside.length > 0 || isOld(dir, request.now()))) removeEmpty(dir);
	}
}

/** Not one that somebody has just made to put his lock into. */
const isOld = (dir: string, now: string): boolean =>
	(statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.parse(now) - 60_000;

function removeEmpty(dir: string): void {
	try {
		rmdirSync(dir);
	} catch {
		// Somebody uses it.
	}
}

const held = (file: string, liveness: Liveness): boolean => {
	const owner = lockOwner(file, liveness);
	return owner !== null && owner.alive !== 'dead';
};

function entriesOf(dir: string): string[] {
	try {
		return readdirSync(dir);
	} catch {
		return [];
	}
}

function readersInside(home: string, liveness: Liveness): boolean {
	return readdirSync(home, { encoding: 'utf8' }).some((entry) => {
		if (!entry.startsWith('reader-')) return false;
		const file = join(home, entry, 'lock');
		if (held(file, liveness)) return true;
		remove(file);
		return false;
	});
}
