import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { remove } from './disk.ts';
import { acquireLock, type Liveness, type Lock, lockOwner } from './lock.ts';
import { guardsDir } from './names.ts';

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
export function takeTree(request: GuardRequest, dir: string, access: 'read' | 'write', label: string): Lock | null {
	const home = join(guardsDir(request.root), 'trees', createHash('sha256').update(dir).digest('hex').slice(0, 16));
	const writer = join(home, 'writer', 'lock');
	if (access === 'read') {
		const mine = acquireLock({ ...request, now: request.now(), file: join(home, `reader-${label}`, 'lock') });
		if (!mine.ok) return null;
		if (!held(writer, request.liveness)) return mine.value;
		mine.value.release();
		return null;
	}
	const mine = acquireLock({ ...request, now: request.now(), file: writer });
	if (!mine.ok) return null;
	// Announced first, so that no new reader comes; those inside may finish.
	if (!readersInside(home, request.liveness)) return mine.value;
	mine.value.release();
	return null;
}

/** What dead processes left is no obstacle, but need not lie there for ever. Each is taken before it is removed, as anybody would take it. */
export function removeDeadGuards(request: GuardRequest): void {
	const home = guardsDir(request.root);
	const files = ['trees', 'slots'].flatMap((kind) =>
		entriesOf(join(home, kind)).flatMap((of) => entriesOf(join(home, kind, of)).map((one) => join(home, kind, of, one, 'lock'))),
	);
	for (const file of files) {
		// One without an owner is what a power cut left of a lock.
		if (!existsSync(file) || (lockOwner(file, request.liveness)?.alive ?? 'dead') !== 'dead') continue;
		const taken = acquireLock({ ...request, now: request.now(), file });
		if (taken.ok) taken.value.release();
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
