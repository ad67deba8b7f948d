import { ExitCode, exitCodeOf } from '../contract/exit-code.ts';
import { hint } from '../contract/suggest.ts';
import { stageOf } from '../journal/packet-state.ts';
import { visibleLine } from '../report/visible.ts';
import { composeStage } from '../run/compose-stage.ts';
import { continuedPlan } from '../run/continued-plan.ts';
import { reasonOf } from '../triage/describe.ts';
import { openChecked, sayRefused } from './checked-packet.ts';
import { type Command, flag, jsonOption, routingOptions, text, UsageError } from './command.ts';
import { composeContext } from './compose-context.ts';
import { printJson } from './print-json.ts';
import { flagsOf, packetOf, projectOf } from './project-of.ts';
import { keepingTabs } from './shown-text.ts';
import { stageCalled } from './stage-called.ts';
import { writeOut } from './write-out.ts';

export const command: Command = {
	name: 'compose',
	summary: 'Prints the prompt of a stage as a run would send it, secrets removed. Nothing is written into the packet.',
	usage: '<id> <stage> [--out FILE]',
	options: {
		...routingOptions,
		...jsonOption,
		out: { type: 'string', short: 'o', value: 'FILE', help: 'write it there, byte for byte' },
	},
	positionals: { min: 2, max: 2 },
	examples: ['dispatch compose fix-login gemini_review', 'dispatch compose fix-login codex_impl --out prompt.md'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const project = await projectOf(call, id);
		if (typeof project === 'number') return project;
		const opened = await openChecked(call, project, id, flagsOf(call));
		if (!opened.ok) return sayRefused(call, id, opened.failures);
		const { names, state } = opened.value;
		const { plan } = continuedPlan(names, opened.value.plan, state);
		const wanted = call.args[1]!;
		const name = stageCalled(plan.stages, wanted);
		const stage = plan.stages.find((one) => one.name === name);
		if (stage === undefined) {
			const known = plan.stages.map((one) => one.name);
			throw new UsageError(`there is no stage "${wanted}"${hint(wanted, known)}`);
		}
		const missing = stage.needs.filter((need) => stageOf(state, need).status !== 'passed');
		const ready = { ...stage, needs: stage.needs.filter((need) => !missing.includes(need)) };
		const composed = composeStage(await composeContext(project, opened.value, plan), {
			stage: ready,
			acceptance: [],
			gateReasons: [],
			digestPolicy: plan.digest_policy,
			session: null,
		});
		if (!composed.ok) {
			const [failure] = composed.failures;
			call.err(`${failure.class}: ${visibleLine(reasonOf(failure))}\n`);
			return exitCodeOf(failure.class);
		}
		if (missing.length > 0) call.err(`note: not yet in it: the output of ${missing.join(', ')}\n`);
		if (project.roles.roles[stage.role]?.demands === 'acceptance')
			call.err('note: not yet in it: the results of the acceptance commands\n');
		const { prompt, prompt_sha256, prompt_bytes, inputs_sha256, log } = composed.value;
		const out = text(call, 'out');
		if (out !== undefined) writeOut(call, out, prompt);
		if (flag(call, 'json')) printJson(call, { task_id: id, stage: stage.name, prompt_sha256, prompt_bytes, inputs_sha256, prompt, log });
		else if (out === undefined) call.out(keepingTabs(prompt));
		return ExitCode.completed;
	},
};
