import type { PacketState } from '../journal/packet-state.ts';
import { lastFailureOf } from '../journal/standing.ts';
import { statsOf } from '../journal/totals.ts';
import { remove, writeJson } from '../packet/disk.ts';
import type { PacketNames } from '../packet/names.ts';

/** The files of `state/` that are derived from the journal. */
export function writeDerived(names: PacketNames, state: PacketState, order: readonly string[]): void {
	writeJson(names.stats, statsOf(state));
	const failure = lastFailureOf(state, order);
	if (failure === null) remove(names.lastFailure);
	else writeJson(names.lastFailure, failure);
}
