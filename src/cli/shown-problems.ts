import type { Complaint } from '../contract/complaint.ts';
import { packetNames } from '../packet/names.ts';
import { blanking } from '../prompt/redact.ts';
import { quoted } from '../report/complaints.ts';
import { redactorOf } from './shown-text.ts';

/** Problems as they may be shown: without the secrets of what they quote, and with the patterns of the packet they are about. */
export function shownProblems(root: string, problems: readonly Complaint[]): Complaint[] {
	const redactors = new Map<string, (text: string) => string>();
	return problems.map((problem) => {
		const [, id = ''] = /^\.tmp\/task\/([^/]+)\/manifest\.yaml$/.exec(problem.file) ?? [];
		const redact = redactors.get(id) ?? remembering(id === '' ? blanking() : redactorOf(packetNames(root, id)));
		redactors.set(id, redact);
		return quoted(problem, redact);
	});
}

/** A manifest on one line is quoted by each of its problems. */
function remembering(redact: (text: string) => string): (text: string) => string {
	const known = new Map<string, string>();
	return (text) => {
		const shown = known.get(text) ?? redact(text);
		known.set(text, shown);
		return shown;
	};
}
