import { type Blocker, blockersOf, mapOf } from './chain.ts';
import type { PacketEntry } from './packet-index.ts';

/** What a packet waits for, and the command that helps; null if nothing is in its way. */
export function blockedWord(entries: readonly PacketEntry[], id: string): string | null {
	const blockers = blockersOf(entries, id);
	return blockers.length === 0 ? null : `it waits for ${blockersText(blockers)}; ${unblocking(entries, id)}`;
}

export const blockersText = (blockers: readonly Blocker[]): string => blockers.map(({ id, status }) => `${id} (${status})`).join(', ');

/** The queue runs what is pending or interrupted. About the rest somebody has to do something. */
export function unblocking(entries: readonly PacketEntry[], id: string): string {
	const before = allBefore(mapOf(entries), id);
	const stuck = before.find(({ status }) => !['pending', 'interrupted', 'in_progress'].includes(status));
	if (stuck !== undefined) return `dispatch show ${stuck.id} says what to do`;
	const running = before.find(({ status }) => status === 'in_progress');
	return running === undefined ? 'dispatch work --all runs it after that' : `dispatch wait ${running.id}, then dispatch work --all`;
}

/** Its blockers, theirs, and so on, each once. */
function allBefore(byId: ReadonlyMap<string, PacketEntry>, id: string): Blocker[] {
	const found = new Map<string, Blocker>();
	const ids = [id];
	// Grows while it is walked.
	for (const at of ids)
		for (const blocker of blockersOf(byId, at)) {
			if (found.has(blocker.id)) continue;
			found.set(blocker.id, blocker);
			ids.push(blocker.id);
		}
	return [...found.values()];
}
