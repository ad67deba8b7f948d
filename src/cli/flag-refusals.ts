import { ExitCode } from '../contract/exit-code.ts';
import type { Refusal } from '../run/open-packet.ts';

/** The flag that a key of a new manifest was written from. */
const flags: Readonly<Record<string, string>> = {
	task_type: '--type',
	intent: '--intent',
	provider: '--provider',
	model: '--model',
	group: '--group',
	based_on: '--based-on',
	depends_on: '--depends-on',
	same_branch: '--same-branch',
	allow: '--allow',
	deny: '--deny',
};

/** Refusals of a manifest that was never written: what is wrong is the flag, and a line of the file would lead nowhere. */
export function flagRefusals(refusals: readonly Refusal[], id: string, manifest: string): Refusal[] {
	const lines = manifest.split('\n');
	return refusals.map((refusal) => {
		const { file, line } = refusal.complaint;
		if (line === null || file !== `.tmp/task/${id}/manifest.yaml`) return refusal;
		// An entry of a list stands below its key.
		const key = lines.slice(0, line).findLast((text) => /^ *\w+:/.test(text));
		const flag = flags[/\w+/.exec(key ?? '')?.[0] ?? ''];
		if (flag === undefined) return refusal;
		return { exit: ExitCode.usage, complaint: { ...refusal.complaint, file: flag, line: null, col: null, excerpt: null } };
	});
}
