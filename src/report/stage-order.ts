import type { Plan } from '../contract/plan.ts';
import type { PacketState } from '../journal/packet-state.ts';

/** The order of reporting: the plan's, else that of the journal. */
export const orderOf = (plan: Plan | null, state: PacketState): readonly string[] =>
	plan?.stages.map((stage) => stage.name) ?? [...state.stages.keys()];
