import type { PacketState } from '../journal/packet-state.ts';
import { lastFailureOf } from '../journal/standing.ts';
import { statsOf } from '../journal/totals.ts';
import { type Prepared, prepare, remove } from '../packet/disk.ts';
import type { PacketNames } from '../packet/names.ts';

/** The files that are derived from the journal, as drafts. */
export function draftDerived(names: PacketNames, state: PacketState, order: readonly string[], summary: string): Prepared[] {
	const failure = lastFailureOf(state, order);
	if (failure === null) remove(names.lastFailure);
	return [
		prepareJson(names.stats, statsOf(state)),
		...(failure === null ? [] : [prepareJson(names.lastFailure, failure)]),
		prepare(names.summary, summary),
	];
}

const prepareJson = (file: string, value: unknown): Prepared => prepare(file, `${JSON.stringify(value, null, 2)}\n`);
