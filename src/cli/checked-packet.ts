import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { renderComplaints } from '../report/complaints.ts';
import { type OpenedPacket, openPacket, type Refusal } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import { type Call, flag } from './command.ts';
import { refuseOutsideGit } from './outside-git.ts';
import { printJson } from './print-json.ts';
import { problemFields } from './problem-fields.ts';
import { shownProblems } from './shown-problems.ts';

/** A packet that only is looked at, its place in a chain checked. The queue is loaded only where there is a chain. */
export async function openChecked(call: Call, project: Project, id: string, flags: PlanFlags): Promise<Outcome<OpenedPacket, Refusal>> {
	const ask = { project, id, flags, env: call.env };
	if (!inChain(project.root, id)) return refuseOutsideGit(openPacket(ask));
	const [{ chainComplaints }, { indexPackets }] = await Promise.all([import('../queue/chain.ts'), import('../queue/packet-index.ts')]);
	const entries = indexPackets(project.root);
	return refuseOutsideGit(openPacket({ ...ask, checkChain: (loaded) => chainComplaints(entries, loaded, id) }));
}

export function inChain(root: string, id: string): boolean {
	return /depends_on|based_on/.test(readText(packetNames(root, id).manifest, 4 * 1024 * 1024) ?? '');
}

/** Shows why a packet cannot be opened: 3 where a file is wrong, 2 where only a flag is. */
export function sayRefused(call: Call, id: string, refusals: readonly Refusal[]): number {
	const problems = shownProblems(
		call.root,
		refusals.map((refusal) => refusal.complaint),
	);
	if (flag(call, 'json')) printJson(call, { task_id: id, problems: problems.map(problemFields) });
	else call.err(`${renderComplaints(problems)}\n`);
	return refusals.some((refusal) => refusal.exit === ExitCode.invalid) ? ExitCode.invalid : ExitCode.usage;
}

/** `configs/dispatch.yaml:3:1 …` on one line. */
export function oneLine({ file, line, col, message }: Complaint): string {
	return `${[file, line, col].filter((part) => part !== null).join(':')} ${message}`;
}
