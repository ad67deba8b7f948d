import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { TaskId } from '../contract/words.ts';
import { removeTree } from '../packet/disk.ts';
import { archiveDir, packetNames } from '../packet/names.ts';
import { moveAway } from './archive.ts';
import { entryOf, type PacketEntry } from './packet-index.ts';

/** Packets that were put away, with the time they were last touched by a run. */
export function archivedPackets(root: string): { readonly id: string; readonly updated: string }[] {
	return idsIn(archiveDir(root)).map((id) => ({ id, updated: updatedOf(root, id) }));
}

/** Deletes a packet from the archive, unless another still depends on it. */
export async function deleteArchived(root: string, id: string, entries: readonly PacketEntry[]): Promise<Outcome<void, string>> {
	const needing = entries.filter((entry) => !entry.archived && entry.status !== 'completed' && entry.dependsOn.includes(id));
	const [first, ...rest] = needing.map((entry) => `${entry.id} (${entry.status}) depends on ${id}`);
	if (first !== undefined) return fail(first, ...rest);
	removeTree(await moveAway(root, id, `.deleting-${id}`, join(archiveDir(root), id)));
	return pass(undefined);
}

function updatedOf(root: string, id: string): string {
	const dir = join(archiveDir(root), id);
	const entry = entryOf(root, id);
	const seen = entry?.archived === true ? entry.updated : null;
	const { summary } = packetNames(root, id, dir);
	return seen ?? (statSync(summary, { throwIfNoEntry: false }) ?? statSync(dir)).mtime.toISOString();
}

function idsIn(dir: string): string[] {
	try {
		return readdirSync(dir, { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && TaskId.safeParse(entry.name).success)
			.map((entry) => entry.name)
			.sort();
	} catch {
		return [];
	}
}
