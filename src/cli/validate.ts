import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { counted } from '../report/amounts.ts';
import { renderComplaints } from '../report/complaints.ts';
import { openChecked } from './checked-packet.ts';
import { type Call, type Command, flag, jsonOption, routingOptions } from './command.ts';
import { planWarnings, worktreeWarnings } from './plan-warnings.ts';
import { printJson } from './print-json.ts';
import { problemFields } from './problem-fields.ts';
import { flagsOf, packetOf, projectOutcome } from './project-of.ts';
import { projectProblems } from './project-problems.ts';
import { shownProblems } from './shown-problems.ts';
import { unplannedProblems } from './unplanned-problems.ts';

export const command: Command = {
	name: 'validate',
	summary: 'Checks one packet, or the whole project: configuration, templates, packets. All problems at once.',
	usage: '[id] [--json]',
	options: { ...routingOptions, ...jsonOption },
	positionals: { min: 0, max: 1 },
	examples: ['dispatch validate', 'dispatch validate fix-login'],
	run: async (call) => {
		const [wanted] = call.args;
		if (wanted === undefined) {
			const { checked, problems } = await projectProblems(call);
			return tell(call, checked, problems);
		}
		const id = packetOf(call, wanted);
		const outcome = projectOutcome(call);
		if (!outcome.ok) return tell(call, id, [...outcome.failures, ...unplannedProblems(call.root, [id])]);
		const project = outcome.value;
		const opened = await openChecked(call, project, id, flagsOf(call));
		if (opened.ok)
			return tell(call, id, [...project.config.warnings, ...planWarnings(opened.value), ...(await worktreeWarnings([opened.value]))]);
		return tell(call, id, [...opened.failures.map((refusal) => refusal.complaint), ...project.config.warnings]);
	},
};

function tell(call: Call, checked: string, found: readonly Complaint[]): number {
	const problems = shownProblems(call.root, found);
	const wrong = problems.filter((problem) => problem.level === 'error');
	const errors = wrong.length;
	const warnings = problems.length - errors;
	if (flag(call, 'json')) printJson(call, { ok: errors === 0, errors, warnings, problems: problems.map(problemFields) });
	else {
		if (problems.length > 0) call.err(`${renderComplaints(problems)}\n`);
		const counts = [errors > 0 ? counted(errors, 'error') : '', warnings > 0 ? counted(warnings, 'warning') : ''].filter(
			(part) => part !== '',
		);
		call.out(`${checked}: ${counts.length === 0 ? 'valid' : counts.join(', ')}\n`);
	}
	if (errors === 0) return ExitCode.completed;
	return wrong.every(isAboutFlag) ? ExitCode.usage : ExitCode.invalid;
}

/** A flag is named where other complaints name a file. */
const isAboutFlag = ({ file }: Complaint): boolean => file.startsWith('--');
