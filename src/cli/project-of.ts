import { packageDir, userDir } from '../config/find-root.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { findPacket } from '../packet/find-packet.ts';
import { visible } from '../report/visible.ts';
import { openProject, type Project, type ProjectPlaces } from '../run/project.ts';
import { type Call, text, UsageError } from './command.ts';

/** The project's configuration and templates, or an exit code after every complaint was shown: about them, and about a packet's manifest. */
export async function projectOf(call: Call, id: string | null = null): Promise<Project | number> {
	const opened = projectOutcome(call);
	if (opened.ok) return opened.value;
	return (await import('./unopened.ts')).sayUnopened(call, opened.failures, id);
}

/** The project for packets that are to run. Where it cannot be opened, the summary of each says why. */
export async function projectToRun(call: Call, ids: readonly string[]): Promise<Project | number> {
	const opened = projectOutcome(call);
	if (opened.ok) return opened.value;
	return (await import('./unopened.ts')).refuseUnopened(call, opened.failures, ids);
}

export const projectOutcome = (call: Call): Outcome<Project, Complaint> => openProject(projectPlaces(call));

export const projectPlaces = ({ root, env }: Call): ProjectPlaces => ({ root, packageDir: packageDir(), userDir: userDir(env) });

/** The packet an id or a unique prefix of one means. */
export function packetOf(call: Call, wanted: string): string {
	const found = findPacket(call.root, wanted);
	if (!found.ok) throw new UsageError(visible(found.failures[0]));
	return found.value;
}

/** An empty flag is one that was typed: it drops what an earlier run was given. */
export const flagsOf = (call: Call): PlanFlags => ({
	provider: text(call, 'provider'),
	force_task_provider: text(call, 'force-task-provider'),
	model: text(call, 'model'),
});
