import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { packetNames } from '../packet/names.ts';
import { renderComplaints } from '../report/complaints.ts';
import { type Call, flag } from './command.ts';
import { printJson } from './print-json.ts';
import { problemFields } from './problem-fields.ts';
import { shownProblems } from './shown-problems.ts';
import { writeInvalidSummary } from './summary-file.ts';
import { unplannedProblems } from './unplanned-problems.ts';

/** Shows what is wrong with a project that cannot be opened, and with the packet that was asked for. */
export function sayUnopened(call: Call, failures: readonly Complaint[], id: string | null): number {
	const problems = shownProblems(call.root, id === null ? failures : [...failures, ...unplannedProblems(call.root, [id])]);
	if (flag(call, 'json')) printJson(call, { ...(id === null ? {} : { task_id: id }), problems: problems.map(problemFields) });
	else call.err(`${renderComplaints(problems)}\n`);
	return ExitCode.invalid;
}

/** The same for packets that were to run: each gets its summary. */
export function refuseUnopened(call: Call, failures: readonly Complaint[], ids: readonly string[]): number {
	const own = ids.map((id) => ({ id, problems: unplannedProblems(call.root, [id]) }));
	call.err(`${renderComplaints(shownProblems(call.root, [...failures, ...own.flatMap(({ problems }) => problems)]))}\n`);
	for (const { id, problems } of own) writeInvalidSummary(packetNames(call.root, id), [...failures, ...problems], new Date());
	return ExitCode.invalid;
}
