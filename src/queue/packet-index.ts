import { lstatSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Complaint } from '../contract/complaint.ts';
import type { PacketStatus, TaskType } from '../contract/words.ts';
import { DiskTrouble } from '../packet/disk.ts';
import { packetIds } from '../packet/find-packet.ts';
import { lockOwner } from '../packet/lock.ts';
import { archiveDir, type PacketNames, packetNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { invalidFacts, invalidMarkOf, type LastChanges, lastChanges } from './found-invalid.ts';
import { type CachedPacket, type IndexCache, journalMarkOf, markOf, readIndexCache, writeIndexCache } from './index-cache.ts';
import { type JournalFacts, journalFacts, noJournal } from './journal-facts.ts';
import { type ManifestFacts, manifestFacts } from './manifest-facts.ts';

/** A packet as the queue knows it. */
export interface PacketEntry {
	readonly id: string;
	readonly goal: string;
	readonly group: string | null;
	readonly type: TaskType | null;
	readonly intent: string | null;
	/** `based_on` and `depends_on`, each once. */
	readonly dependsOn: readonly string[];
	readonly basedOn: string | null;
	readonly createReview: boolean;
	readonly sameBranch: boolean;
	readonly security: ManifestFacts['security'];
	/** `created_at`, else the manifest's time. */
	readonly created: string;
	readonly status: PacketStatus;
	/** A run began, and its owner is dead. */
	readonly orphaned: boolean;
	/** Interrupted because --max-calls or --max-cost of a queue was used up, by no person. */
	readonly cutShort: boolean;
	readonly verdict: string | null;
	readonly updated: string | null;
	readonly problems: readonly Complaint[];
	/** Put away already; in the index only because another packet depends on it. */
	readonly archived: boolean;
}

/** Below this many packets to read anew, reading them is cheaper than writing the cache. */
const worthCaching = 32;
/** A process that lists again and again (`work`, `watch`) does not read its own cache back. */
const remembered = new Map<string, IndexCache>();

/** All packets, the oldest first, and archived ones that others depend on. Writes nothing but its cache. */
export function indexPackets(root: string): PacketEntry[] {
	const known = remembered.get(root) ?? readIndexCache(root);
	const cache: IndexCache = new Map();
	const entries: PacketEntry[] = [];
	let readAnew = 0;
	const now = Date.now();
	const changes = lastChanges(root);
	for (const id of packetIds(root)) {
		const names = packetNames(root, id);
		const looked = look(names, known.get(id), now, changes);
		if (looked === null) continue;
		entries.push(entryFrom(names, looked));
		if (looked.packet.manifestMark === null) continue;
		cache.set(id, looked.packet);
		if (looked.packet !== known.get(id)) readAnew++;
	}
	remembered.set(root, cache);
	if (readAnew >= worthCaching) writeIndexCache(root, cache);
	return oldestFirst([...entries, ...archivedAmong(root, entries)]);
}

/** One packet, read from its files; null if there is no such packet. An archived one counts. */
export function entryOf(root: string, id: string): PacketEntry | null {
	const live = entryAt(packetNames(root, id));
	if (live !== null) return live;
	const archived = entryAt(packetNames(root, id, join(archiveDir(root), id)));
	return archived === null ? null : { ...archived, archived: true };
}

/** Archived packets that these depend on, and what those depend on. */
export function archivedAmong(root: string, entries: readonly Pick<PacketEntry, 'id' | 'dependsOn'>[]): PacketEntry[] {
	const seen = new Set(entries.map((entry) => entry.id));
	const found: PacketEntry[] = [];
	const wanted = entries.flatMap((entry) => entry.dependsOn);
	for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
		if (seen.has(id)) continue;
		seen.add(id);
		const entry = entryOf(root, id);
		if (entry === null) continue;
		found.push(entry);
		wanted.push(...entry.dependsOn);
	}
	return found;
}

function entryAt(names: PacketNames): PacketEntry | null {
	const looked = look(names, undefined, Date.now(), lastChanges(names.root));
	return looked === null ? null : entryFrom(names, looked);
}

interface Looked {
	readonly packet: CachedPacket;
	readonly changed: Date;
}

function look(names: PacketNames, known: CachedPacket | undefined, now: number, changes: LastChanges): Looked | null {
	const stat = statSync(names.manifest, { throwIfNoEntry: false });
	if (stat === undefined) return null;
	const manifestMark = markOf(stat, now);
	const sameManifest = manifestMark !== null && known?.manifestMark === manifestMark;
	const journalStat = statSync(names.journal, { throwIfNoEntry: false });
	const manifest = sameManifest ? known!.manifest : readManifest(names);
	const inChain = manifest.dependsOn.length > 0;
	const journalMark = journalStat === undefined ? invalidMarkOf(names, stat, inChain, changes) : journalMarkOf(journalStat);
	const sameJournal = known?.journalMark === journalMark;
	if (known !== undefined && sameManifest && sameJournal) return { packet: known, changed: stat.mtime };
	const journal = sameJournal ? known.journal : journalMark === '' ? noJournal : factsOf(names, journalStat !== undefined);
	const isRead = journal !== unreadable;
	return { packet: { manifestMark, manifest, journalMark: isRead ? journalMark : 'unread', journal }, changed: stat.mtime };
}

function factsOf(names: PacketNames, hasJournal: boolean): JournalFacts {
	if (!hasJournal) return invalidFacts(names.summary);
	try {
		return journalFacts(names.journal);
	} catch (error) {
		if (error instanceof DiskTrouble) return unreadable;
		throw error;
	}
}

/** Nobody knows where such a packet stands: it is not run, and `show` says what is wrong. */
const unreadable: JournalFacts = { ...noJournal, state: 'needs_human' };

function readManifest(names: PacketNames): ManifestFacts {
	const shown = relative(names.root, names.manifest);
	const isLink = lstatSync(names.dir, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	const text = isLink ? null : readBytes(names.manifest, 4 * 1024 * 1024);
	if (text !== null) return manifestFacts(text, shown, names.id);
	const message = isLink
		? 'is a symbolic link or no directory: a packet must lie where its name says'
		: 'there is no manifest that can be read';
	const file = isLink ? relative(names.root, names.dir) : shown;
	return {
		...manifestFacts(new Uint8Array(), shown, names.id),
		problems: [{ level: 'error', file, line: null, col: null, message, excerpt: null }],
	};
}

function entryFrom(names: PacketNames, { packet, changed }: Looked): PacketEntry {
	const { createdAt, ...manifest } = packet.manifest;
	const { cutShort, verdict, updated } = packet.journal;
	const created = createdAt ?? changed.toISOString();
	return {
		id: names.id,
		...manifest,
		created,
		cutShort,
		verdict,
		updated,
		archived: false,
		...standing(names, packet.manifest, packet.journal),
	};
}

/** Only a run that has not said its end is looked after: whether its owner lives. */
function standing(names: PacketNames, { problems }: ManifestFacts, { state }: JournalFacts): Pick<PacketEntry, 'status' | 'orphaned'> {
	if (state === 'completed') return { status: state, orphaned: false };
	if (state !== 'running') return { status: problems.length > 0 ? 'invalid' : state, orphaned: false };
	const owner = lockOwner(names.lock, sameProcessAlive);
	if (owner !== null && owner.alive !== 'dead') return { status: 'in_progress', orphaned: false };
	return { status: problems.length > 0 ? 'invalid' : 'interrupted', orphaned: true };
}

function oldestFirst(entries: readonly PacketEntry[]): PacketEntry[] {
	const times = new Map(entries.map((entry) => [entry, Date.parse(entry.created)]));
	return [...entries].sort((a, b) => times.get(a)! - times.get(b)! || (a.id < b.id ? -1 : 1));
}
