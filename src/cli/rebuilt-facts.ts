import type { Plan } from '../contract/plan.ts';
import type { Workspace } from '../contract/state-files.ts';
import type { PacketNames } from '../packet/names.ts';
import { findWorkspace } from '../queue/workspace.ts';
import { type OpenedPacket, openPacket } from '../run/open-packet.ts';
import type { Call } from './command.ts';
import { projectOutcome } from './project-of.ts';

export interface DerivedFacts {
	readonly plan: Plan | null;
	readonly workspace: Workspace | null;
}

/** What is missing of them, as the next run would write it down. */
export async function rebuiltFacts(call: Call, names: PacketNames, kept: DerivedFacts): Promise<DerivedFacts> {
	const opened = openedAgain(call, names);
	const plan = kept.plan ?? (opened === null ? null : planThatRan(opened));
	const manifest = opened?.loaded.manifest ?? null;
	return { plan, workspace: kept.workspace ?? (await findWorkspace({ root: names.root, id: names.id, manifest, plan })) };
}

function openedAgain(call: Call, { id }: PacketNames): OpenedPacket | null {
	const project = projectOutcome(call);
	const opened = project.ok ? openPacket({ project: project.value, id, flags: {}, env: call.env }) : null;
	return opened?.ok ? opened.value : null;
}

/** Not one of other stages, where manifest or configuration are no longer what they were. */
const planThatRan = ({ plan, state }: OpenedPacket): Plan | null => (plan.stages.every(({ name }) => state.stages.has(name)) ? plan : null);
