import { blockersOf, mapOf } from '../queue/chain.ts';
import { chainFaults } from '../queue/chain-faults.ts';
import { indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import { colourWanted } from '../report/colour.ts';
import type { ListingOptions, PacketRow } from '../report/listings.ts';
import type { Call } from './command.ts';
import { isTerminal, windowColumns } from './stdio.ts';

export interface ListedPacket {
	readonly entry: PacketEntry;
	readonly row: PacketRow;
}

/** The packets of a project as the listings want them, the oldest first. */
export function listedPackets(root: string): ListedPacket[] {
	const entries = indexPackets(root);
	const byId = mapOf(entries);
	const faults = chainFaults(byId);
	return entries
		.filter((entry) => !entry.archived)
		.map((entry) => ({
			entry,
			row: {
				id: entry.id,
				goal: entry.goal,
				group: entry.group,
				type: entry.type ?? entry.intent ?? '?',
				// As validation and a run will call it.
				status: entry.status === 'pending' && faults.has(entry.id) ? 'invalid' : entry.status,
				verdict: entry.verdict,
				blockedBy: blockersOf(byId, entry.id).map((blocker) => blocker.id),
				updated: entry.updated,
				created: entry.created,
			},
		}));
}

/** A packet in `--json`. */
export const packetFields = ({ entry, row }: ListedPacket) => ({
	task_id: entry.id,
	goal: entry.goal,
	group: entry.group,
	task_type: entry.type,
	intent: entry.intent,
	status: row.status,
	verdict: entry.verdict,
	depends_on: entry.dependsOn,
	based_on: entry.basedOn,
	blocked_by: row.blockedBy,
	created_at: entry.created,
	updated: entry.updated,
});

export function listingOptions(call: Call): ListingOptions {
	return {
		columns: windowColumns(),
		colour: colourWanted(isTerminal(1), { NO_COLOR: call.env.NO_COLOR, TERM: call.env.TERM }),
	};
}
