import { Plan } from '../contract/plan.ts';
import { Workspace } from '../contract/state-files.ts';
import type { PacketNames } from '../packet/names.ts';
import { readJson } from '../packet/read.ts';
import type { Call } from './command.ts';
import type { DerivedFacts } from './rebuilt-facts.ts';
import { standingOf } from './standing-of.ts';

/** Plan and workspace of a packet. Where the files that a run has left are gone they are made anew; nothing is written. */
export async function derivedFacts(call: Call, names: PacketNames): Promise<DerivedFacts> {
	const kept = { plan: readJson(names.plan, Plan), workspace: readJson(names.workspace, Workspace) };
	if (kept.plan !== null && kept.workspace !== null) return kept;
	const { state } = standingOf(names.root, names.id);
	const called = [...state.stages.values()].some((stage) => stage.attempt > 0);
	return called ? (await import('./rebuilt-facts.ts')).rebuiltFacts(call, names, kept) : kept;
}
