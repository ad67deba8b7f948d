import { readdirSync, rmdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from '../contract/sha256.ts';
import { ProcessIdentity } from '../contract/state-files.ts';
import { append, DiskTrouble, removeQuietly, writeJson } from './disk.ts';
import { acquireLock, type Liveness, type Lock, lockOwner } from './lock.ts';
import { guardsDir } from './names.ts';
import { randomName } from './random-name.ts';
import { readText } from './read.ts';

/**
 * Guards shared by all packets of a project: who works in a work tree (one writer or many readers), and how many calls
 * a servant serves at once. Each guard is a small lock file that names its process, and beside it the wrappers that work there: a
 * servant outlives its dispatcher, and holds its place until it ends. What the dead left is no obstacle.
 */
export interface GuardRequest {
	readonly root: string;
	readonly self: ProcessIdentity;
	readonly command: string;
	readonly now: () => string;
	readonly liveness: Liveness;
	/** A wrapper that an earlier dispatcher left: its place is ours to take. */
	readonly adopted?: ProcessIdentity;
}

export interface Guard {
	/** From now on this wrapper holds the place too. */
	readonly name: (wrapper: ProcessIdentity) => void;
	readonly release: () => void;
	/** We go, and the wrapper that was named last stays. */
	readonly leave: () => void;
}

/** A place among the at most `max` calls of a servant, or null if all are taken. */
export function takeSlot(request: GuardRequest, tool: string, max: number): Guard | null {
	const dir = join(guardsDir(request.root), 'slots', tool);
	const places = Array.from({ length: max }, (_, n) => join(dir, String(n + 1)));
	const { adopted } = request;
	const left = adopted === undefined ? [] : places.filter((place) => wrappersIn(place).some((wrapper) => isSame(wrapper, adopted)));
	for (const place of [...left, ...places]) {
		const taken = takeAlone(request, place);
		if (taken !== null) return taken;
	}
	return null;
}

/** The work tree for reading (shared) or writing (alone), or null if somebody is in the way. */
export function takeTree(request: GuardRequest, dir: string, access: 'read' | 'write'): Guard | null {
	const home = treeHome(request.root, dir);
	const writer = join(home, 'writer');
	if (access === 'read') {
		const mine = joinReaders(request, home);
		if (mine === null || !isHeld(request, writer)) return mine;
		mine.release();
		return null;
	}
	const mine = takeAlone(request, writer);
	// Announced first, so that no new reader comes; those inside may finish.
	if (mine === null || !readersInside(request, home)) return mine;
	mine.release();
	return null;
}

/** By the tree's place: asked for several times a stage. */
const homes = new Map<string, string>();

function treeHome(root: string, dir: string): string {
	const name = homes.get(dir) ?? sha256(dir).slice(0, 16);
	homes.set(dir, name);
	return join(guardsDir(root), 'trees', name);
}

/** Stands for the time in which this process reads a tree: as long as it is the same, nobody who asks can have written. Null: it does not. */
export const readingOf = (root: string, dir: string): object | null => readers.get(join(treeHome(root, dir), label ?? '')) ?? null;

function takeAlone(request: GuardRequest, place: string): Guard | null {
	const taken = acquireLock({ ...lockRequest(request, place), file: join(place, 'lock') });
	if (!taken.ok) return null;
	const lock = taken.value;
	// Of dead ones, or of the one that is taken over.
	if (wrappersIn(place).length > 0) removeQuietly(wrappersFile(place));
	let named: ProcessIdentity | null = null;
	return {
		name: (wrapper) => {
			named = wrapper;
			nameIn(place, wrapper);
		},
		release: () => {
			if (named !== null) removeQuietly(wrappersFile(place));
			lock.release();
		},
		leave: () => passOn(lock, named),
	};
}

let label: string | null = null;

/** Readers of this process by their common place. */
const readers = new Map<string, { readonly lock: Lock; count: number; left: ProcessIdentity | null }>();

/**
 * All readers of this process share one lock file. The last one leaves it there for a moment: in a chain the next stage follows at
 * once, and would only make the same file again.
 */
function joinReaders(request: GuardRequest, home: string): Guard | null {
	// A number alone may be another's too, in another container.
	label ??= `reader-${request.self.pid}-${randomName(8)}`;
	const place = join(home, label);
	const known = readers.get(place);
	const taken = known === undefined ? acquireLock({ ...lockRequest(request, place), file: join(place, 'lock') }) : null;
	if (taken?.ok === false) return null;
	const shared = known ?? { lock: taken!.value, count: 0, left: null };
	readers.set(place, shared);
	shared.count += 1;
	let named: ProcessIdentity | null = null;
	const go = () => {
		shared.count -= 1;
		setImmediate(() => {
			if (shared.count > 0 || readers.get(place) !== shared) return;
			readers.delete(place);
			if (shared.left !== null) {
				// Its name is the wrapper's now.
				label = null;
				passOn(shared.lock, shared.left);
				return;
			}
			removeQuietly(wrappersFile(place));
			shared.lock.release();
			removeEmpty(place);
		});
	};
	return {
		name: (wrapper) => {
			named = wrapper;
			nameIn(place, wrapper);
		},
		release: go,
		leave: () => {
			shared.left = named;
			go();
		},
	};
}

/** The lock is the wrapper's from now on; without one nobody needs it. */
function passOn(lock: Lock, wrapper: ProcessIdentity | null): void {
	try {
		if (wrapper === null) lock.release();
		else writeJson(lock.file, { ...lock.held, ...wrapper });
	} catch (error) {
		// The wrapper is named beside it all the same, and we are about to be gone.
		if (!(error instanceof DiskTrouble)) throw error;
	}
}

const wrappersFile = (place: string): string => join(place, 'wrappers');

const nameIn = (place: string, wrapper: ProcessIdentity): void => append(wrappersFile(place), `${JSON.stringify(wrapper)}\n`);

function wrappersIn(place: string): ProcessIdentity[] {
	const lines = readText(wrappersFile(place))?.split('\n') ?? [];
	return lines.flatMap((line) => {
		try {
			const parsed = ProcessIdentity.safeParse(JSON.parse(line));
			return parsed.success ? [parsed.data] : [];
		} catch {
			return [];
		}
	});
}

const isSame = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
	one.pid === other.pid && one.start_time === other.start_time && one.boot_id === other.boot_id && one.host === other.host;

/** A place is free when who took it is dead, and so are all wrappers he named. The one that is adopted is in nobody's way. */
function lockRequest(request: GuardRequest, place: string) {
	const { adopted, liveness } = request;
	const isOurs = (who: ProcessIdentity) => adopted !== undefined && isSame(who, adopted);
	const standing: Liveness = (owner) => {
		const own = isOurs(owner) ? 'dead' : liveness(owner);
		if (own !== 'dead') return own;
		return wrappersIn(place).some((wrapper) => !isOurs(wrapper) && liveness(wrapper) !== 'dead') ? 'alive' : 'dead';
	};
	return { ...request, now: request.now(), liveness: standing };
}

/** What dead processes left is no obstacle, but need not lie there for ever. Each is taken before it is removed, as anybody would take it. */
export function removeDeadGuards(request: GuardRequest): void {
	const home = guardsDir(request.root);
	const dirs = ['trees', 'slots'].flatMap((kind) =>
		entriesOf(join(home, kind)).flatMap((of) => entriesOf(join(home, kind, of)).map((one) => join(home, kind, of, one))),
	);
	for (const dir of dirs) {
		const inside = entriesOf(dir);
		// A lock without an owner is what a power cut left of it; a draft alone, what a crash did.
		if (inside.length > 0 && !isHeld(request, dir)) {
			const taken = acquireLock({ ...lockRequest(request, dir), file: join(dir, 'lock') });
			if (taken.ok) {
				removeQuietly(wrappersFile(dir));
				taken.value.release();
			}
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

function isHeld(request: GuardRequest, place: string): boolean {
	const owner = lockOwner(join(place, 'lock'), lockRequest(request, place).liveness);
	return owner !== null && owner.alive !== 'dead';
}

function entriesOf(dir: string): string[] {
	try {
		return readdirSync(dir);
	} catch {
		return [];
	}
}

function readersInside(request: GuardRequest, home: string): boolean {
	return readdirSync(home, { encoding: 'utf8' }).some((entry) => {
		if (!entry.startsWith('reader-')) return false;
		const place = join(home, entry);
		if (isHeld(request, place)) return true;
		removeQuietly(join(place, 'lock'));
		removeQuietly(wrappersFile(place));
		return false;
	});
}
