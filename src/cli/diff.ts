import { ExitCode } from '../contract/exit-code.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readText, sizeOf } from '../packet/read.ts';
import { visibleLine } from '../report/visible.ts';
import { branchDiff } from '../worktree/branch.ts';
import { type Call, type Command, flag, jsonOption } from './command.ts';
import { derivedFacts } from './derived-facts.ts';
import { printJson } from './print-json.ts';
import { packetOf } from './project-of.ts';
import { redactorOf, shownText } from './shown-text.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'diff',
	summary: 'Shows what a packet changed: its branch against its base, or the patches of its stages (outputs/<stage>.patch).',
	usage: '<id> [--json]',
	options: jsonOption,
	positionals: { min: 1, max: 1 },
	examples: ['dispatch diff fix-login'],
	run: async (call) => {
		const names = packetNames(call.root, packetOf(call, call.args[0]!));
		const found = await changesOf(call, names);
		const redact = redactorOf(names);
		const show = shownText(names);
		if (flag(call, 'json')) printJson(call, { task_id: names.id, changes: found.map(({ from, diff }) => ({ from, diff: redact(diff) })) });
		else if (found.length === 0) call.err(`${names.id} has changed nothing\n`);
		else for (const { diff } of found) call.out(diff === '' || diff.endsWith('\n') ? show(diff) : `${show(diff)}\n`);
		return ExitCode.completed;
	},
};

interface Change {
	/** `dispatch/<id>`, or a stage's name. */
	readonly from: string;
	readonly diff: string;
}

/** A branch holds all that was committed; without one the stages' patches are what there is. */
async function changesOf(call: Call, names: PacketNames): Promise<Change[]> {
	const { plan, workspace } = await derivedFacts(call, names);
	if (workspace?.mode === 'worktree' && workspace.branch !== null && workspace.base !== null) {
		const diff = await branchDiff({ root: names.root, branch: workspace.branch, base: workspace.base });
		if (diff.ok && diff.value !== '') return [{ from: workspace.branch, diff: diff.value }];
		if (!diff.ok) call.err(`note: ${visibleLine(diff.failures[0])}; showing the patches of its stages\n`);
	}
	const stages = plan?.stages.filter(({ access }) => access === 'write').map(({ name }) => name);
	return (stages ?? [...standingOf(names.root, names.id).state.stages.keys()])
		.filter((name) => sizeOf(names.patch(name)) !== null)
		.map((name) => ({ from: name, diff: readText(names.patch(name), 512 * 1024 * 1024) ?? '' }));
}
