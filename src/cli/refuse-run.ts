import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { packetNames } from '../packet/names.ts';
import { renderComplaints } from '../report/complaints.ts';
import { type OpenAsk, openPacket, type Refusal } from '../run/open-packet.ts';
import { refuseOutsideGit } from './outside-git.ts';
import type { Listener } from './run-console.ts';
import type { RanPacket } from './run-end.ts';
import { shownProblems } from './shown-problems.ts';
import { writeInvalidSummary } from './summary-file.ts';

/** What is wrong is said, and stands in the summary if it is the packet's own fault. */
export function refuseRun(ask: OpenAsk, refusals: readonly Refusal[], listener: Listener): RanPacket {
	const problems = refusals.map((refusal) => refusal.complaint);
	listener.error(renderComplaints(shownProblems(ask.project.root, problems)).trimEnd());
	const faults = faultsOfPacket(ask, problems);
	if (faults.length > 0) writeInvalidSummary(packetNames(ask.project.root, ask.id), faults, new Date());
	const exitCode = refusals.some((refusal) => refusal.exit === ExitCode.invalid) ? ExitCode.invalid : ExitCode.usage;
	return { exitCode, status: faults.length > 0 ? 'invalid' : null };
}

/** A wrong flag or variable says nothing about the packet, nor does what only follows from one: its faults are there without them. */
function faultsOfPacket(ask: OpenAsk, problems: readonly Complaint[]): Complaint[] {
	const bare = refuseOutsideGit(openPacket({ ...ask, flags: {}, fresh: true, env: {} }));
	const faults = new Set(bare.ok ? [] : bare.failures.map((refusal) => JSON.stringify(refusal.complaint)));
	return problems.filter((problem) => faults.has(JSON.stringify(problem)));
}
