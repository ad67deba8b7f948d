import type { PacketStatus } from '../contract/words.ts';
import { foldJournal } from '../journal/fold.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { statusOf } from '../journal/standing.ts';
import { readJournal } from '../packet/journal-file.ts';
import { lockOwner } from '../packet/lock.ts';
import { packetNames } from '../packet/names.ts';
import { sameProcessAlive } from '../process/identity.ts';

/** Where a packet stands, for those who only look. */
export function standingOf(root: string, id: string): { readonly state: PacketState; readonly status: PacketStatus } {
	const names = packetNames(root, id);
	const state = foldJournal(readJournal(names.journal));
	const owner = lockOwner(names.lock, sameProcessAlive);
	return { state, status: statusOf(state, owner !== null && owner.alive !== 'dead') };
}
