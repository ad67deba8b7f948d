import { join } from 'node:path';
import { foldJournal } from '../journal/fold.ts';
import { readJournal } from '../packet/journal-file.ts';
import { archiveDir, type PacketNames, packetNames } from '../packet/names.ts';
import { sizeOf } from '../packet/read.ts';
import { entryOf, type PacketEntry } from './packet-index.ts';

export interface Ancestor {
	readonly entry: PacketEntry;
	readonly names: PacketNames;
}

/** The packets before this one, the nearest first and `based_on` before `depends_on`. Nothing is sought behind one where `last` holds. */
export function ancestorsOf(root: string, id: string, last: (entry: PacketEntry) => boolean = () => false): Ancestor[] {
	const seen = new Set([id]);
	const found: Ancestor[] = [];
	const queue = [...(entryOf(root, id)?.dependsOn ?? [])];
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
		if (seen.has(next)) continue;
		seen.add(next);
		const entry = entryOf(root, next);
		if (entry === null) continue;
		found.push({ entry, names: namesOf(root, entry) });
		if (!last(entry)) queue.push(...entry.dependsOn);
	}
	return found;
}

/** The nearest packet before this one that changed something. */
export const changeBefore = (root: string, id: string): Ancestor | null =>
	ancestorsOf(root, id).find(({ names }) => patchesOf(names).length > 0) ?? null;

/** What its stages changed. */
export const patchesOf = (names: PacketNames): string[] =>
	[...foldJournal(readJournal(names.journal)).stages.keys()].map(names.patch).filter((file) => sizeOf(file) !== null);

export const namesOf = (root: string, { id, archived }: PacketEntry): PacketNames =>
	archived ? packetNames(root, id, join(archiveDir(root), id)) : packetNames(root, id);
