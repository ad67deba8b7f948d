import type { PacketEntry } from './packet-index.ts';

/** An invalid packet that would run if it were valid: its summary says what is wrong. One that has run keeps the summary of that. */
export const toBeTold = (entry: PacketEntry): boolean =>
	entry.orphaned || (entry.updated === null && (entry.status === 'pending' || entry.status === 'invalid'));
