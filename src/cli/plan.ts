import { ExitCode } from '../contract/exit-code.ts';
import { hint } from '../contract/suggest.ts';
import { renderExplanation, renderPlan } from '../report/plan-table.ts';
import { continuedPlan } from '../run/continued-plan.ts';
import { oneLine, openChecked, sayRefused } from './checked-packet.ts';
import { type Command, flag, jsonOption, routingOptions, text, UsageError } from './command.ts';
import { printJson } from './print-json.ts';
import { flagsOf, packetOf, projectOf } from './project-of.ts';
import { stageCalled } from './stage-called.ts';

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
		const wanted = text(call, 'explain');
		if (wanted !== undefined) {
			const { explanation } = opened.value;
			const stage = stageCalled(opened.value.plan.stages, wanted) ?? wanted;
			if (!Object.hasOwn(explanation, stage)) throw new UsageError(`there is no stage "${stage}"${hint(stage, Object.keys(explanation))}`);
			if (flag(call, 'json')) printJson(call, { task_id: id, stage, fields: explanation[stage] });
			else call.out(`${renderExplanation(stage, explanation)}\n`);
			return ExitCode.completed;
		}
		const { names, state } = opened.value;
		const { plan, warnings } = continuedPlan(names, opened.value.plan, state);
		const passed = [...state.stages.values()].some((one) => one.status === 'passed');
		// Composing prompts again takes most of the packages; only a packet with finished stages needs it.
		const changed = passed ? await (await import('./compose-context.ts')).changedStages(project, opened.value, plan) : [];
		const shown = {
			...plan,
			warnings: [
				...plan.warnings,
				...warnings,
				...changed.map((name) => `${name}: inputs changed since this stage ran`),
				...project.config.warnings.map(oneLine),
			],
		};
		if (flag(call, 'json')) printJson(call, shown);
		else call.out(`${renderPlan(shown)}\n`);
		return ExitCode.completed;
	},
};
