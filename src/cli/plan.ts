import { ExitCode } from '../contract/exit-code.ts';
import type { Plan } from '../contract/plan.ts';
import { hint } from '../contract/suggest.ts';
import { stageOf } from '../journal/packet-state.ts';
import { renderExplanation, renderPlan } from '../report/plan-table.ts';
import { continuedPlan } from '../run/continued-plan.ts';
import type { OpenedPacket } from '../run/open-packet.ts';
import { oneLine, openChecked, sayRefused } from './checked-packet.ts';
import { type Call, type Command, flag, jsonOption, routingOptions, text, UsageError } from './command.ts';
import { worktreeWarnings } from './plan-warnings.ts';
import { printJson } from './print-json.ts';
import { flagsOf, packetOf, projectOf } from './project-of.ts';
import { stageCalled } from './stage-called.ts';
import { windowColumns } from './stdio.ts';

export const command: Command = {
	name: 'plan',
	summary: 'Shows the stages a run would have, with the source of every value. Nothing is written, nobody is called.',
	usage: '<id> [--explain STAGE] [--json]',
	options: {
		...routingOptions,
		...jsonOption,
		explain: { type: 'string', value: 'STAGE', help: 'every level that was tried for its values' },
	},
	positionals: { min: 1, max: 1 },
	examples: [
		'dispatch plan fix-login',
		'dispatch plan fix-login --explain gemini_review',
		'dispatch plan fix-login --provider codex --json',
	],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const project = await projectOf(call, id);
		if (typeof project === 'number') return project;
		const opened = await openChecked(call, project, id, flagsOf(call));
		if (!opened.ok) return sayRefused(call, id, opened.failures);
		const { names, state } = opened.value;
		const { plan, warnings } = continuedPlan(names, opened.value.plan, state);
		const wanted = text(call, 'explain');
		if (wanted !== undefined) return explain(call, { wanted, opened: opened.value, plan });
		const passed = [...state.stages.values()].some((one) => one.status === 'passed');
		// Composing prompts again takes most of the packages; only a packet with finished stages needs it.
		const changed = passed ? await (await import('./compose-context.ts')).changedStages(project, opened.value, plan) : [];
		const shown = {
			...plan,
			warnings: [
				...plan.warnings,
				...warnings,
				...(await worktreeWarnings([opened.value])).map(({ message }) => message),
				...changed.map((name) => `${name}: inputs changed since this stage ran`),
				...project.config.warnings.map(oneLine),
			],
		};
		if (flag(call, 'json')) printJson(call, shown);
		else call.out(`${renderPlan(shown, { columns: windowColumns() })}\n`);
		return ExitCode.completed;
	},
};

/** A finished stage has the name it ran under, and what is explained is what would be resolved for it now. */
function explain(call: Call, { wanted, opened, plan }: { wanted: string; opened: OpenedPacket; plan: Plan }): number {
	const name = stageCalled(plan.stages, wanted);
	if (name === null) {
		const known = plan.stages.map((stage) => stage.name);
		throw new UsageError(`there is no stage "${wanted}"${hint(wanted, known)}`);
	}
	const resolved = opened.plan.stages[plan.stages.findIndex((stage) => stage.name === name)]!;
	const fields = opened.explanation[resolved.name]!;
	if (flag(call, 'json')) printJson(call, { task_id: plan.task_id, stage: name, fields });
	else call.out(`${renderExplanation(name, { [name]: fields })}\n`);
	if (stageOf(opened.state, name).status === 'passed')
		call.err(`note: ${name} is finished and keeps what it ran with; this is what would be resolved for it now\n`);
	return ExitCode.completed;
}
