import type { PacketEntry } from '../../src/queue/packet-index.ts';

/** An entry of the index, pending unless said otherwise. */
export const entry = (id: string, more: Partial<PacketEntry> = {}): PacketEntry => ({
	id,
	goal: `Goal of ${id}`,
	group: null,
	type: 'explore',
	intent: null,
	dependsOn: [],
	basedOn: null,
	createReview: false,
	security: null,
	sameBranch: false,
	created: '2026-01-01T00:00:00.000Z',
	status: 'pending',
	orphaned: false,
	cutShort: false,
	verdict: null,
	updated: null,
	problems: [],
	archived: false,
	...more,
});
