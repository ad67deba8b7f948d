import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../contract/sha256.ts';
import { ensureDir, writeWhole } from '../packet/disk.ts';
import { cacheDir } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import type { JournalFacts } from './journal-facts.ts';
import type { ManifestFacts } from './manifest-facts.ts';

/** What was read of a packet, and the marks of the files it was read from. */
export interface CachedPacket {
	readonly manifestMark: string | null;
	readonly manifest: ManifestFacts;
	readonly journalMark: string;
	readonly journal: JournalFacts;
}

export type IndexCache = Map<string, CachedPacket>;

/** Raised whenever what is kept changes its shape. */
const shape = 'dispatch-index-3';
const cacheFile = (root: string): string => join(cacheDir(root), 'index.json');

/** Empty unless the file is exactly what was once written: it is written without a barrier, so a power cut may have left half of it. */
export function readIndexCache(root: string): IndexCache {
	const text = readText(cacheFile(root), 256 * 1024 * 1024);
	const end = text?.indexOf('\n') ?? -1;
	if (text === null || end === -1) return new Map();
	const body = text.slice(end + 1);
	return text.slice(0, end) === head(body) ? new Map(JSON.parse(body) as [string, CachedPacket][]) : new Map();
}

/** A cache that cannot be written is no trouble: the next listing reads the packets again. */
export function writeIndexCache(root: string, cache: IndexCache): void {
	try {
		for (const dir of [join(root, '.tmp'), cacheDir(root)]) {
			if (lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink()) return;
		}
		ensureDir(cacheDir(root));
		const body = JSON.stringify([...cache]);
		writeWhole(cacheFile(root), `${head(body)}\n${body}`, 0o600);
	} catch {
		// Read-only or full.
	}
}

const head = (body: string): string => `${shape} ${sha256(body)}`;

/** What tells one content of a file from another without reading it. Null: it changed too lately for its time to tell that. */
export function markOf(stat: Stats, now: number): string | null {
	// Some file systems count whole seconds; the others tick every few milliseconds.
	const tick = stat.ctimeMs % 1000 === 0 ? 2000 : 100;
	const lately = stat.ctimeMs > now - tick;
	return lately ? null : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}`;
}

/** A journal only grows. */
export const journalMarkOf = (stat: Stats | undefined): string => (stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`);
