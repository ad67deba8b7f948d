import type { PlannedStage } from '../contract/plan.ts';
import { stageOf } from '../journal/packet-state.ts';
import { findProgram } from '../process/find-program.ts';
import { placeProgram } from '../triage/place-program.ts';
import { attemptOf, planned } from './attempt.ts';
import { finishWithoutCall } from './finish-without-call.ts';
import type { RunContext } from './run-context.ts';

/**
 * Before the first call of a run every planned program is looked for. A missing one with a fallback is left to its stage; without, the run
 * ends before anything is paid. An attempt that an earlier run left behind needs no program: it has been called already.
 */
export function preflight(ctx: RunContext): boolean {
	const missing = ctx.plan.stages.filter((stage) => {
		const { status, open } = stageOf(ctx.journal.state, stage.name);
		return status !== 'passed' && open === null && missingProgram(ctx, stage) !== null;
	});
	const hopeless = missing.filter((stage) => !stage.fallback.some((tool) => missingProgram(ctx, { ...stage, tool }) === null));
	const programs = new Map(hopeless.map((stage) => [missingProgram(ctx, stage)!, stage.tool]));
	const lacking = [...programs].map(([command, tool]) => ({ command, install: installOf(ctx, tool, command) }));
	for (const stage of hopeless) {
		const command = missingProgram(ctx, stage)!;
		finishWithoutCall(ctx, {
			stage: { ...stage, fallback: [] },
			failure: { class: 'tool_missing', command, also: lacking.filter((other) => other.command !== command) },
			acceptance: [],
			canTighten: () => false,
		});
	}
	return hopeless.length === 0;
}

/** The program a stage would call, as it is written, if it cannot be found. */
export function missingProgram(ctx: RunContext, stage: PlannedStage): string | null {
	const { command } = attemptOf(ctx, stage, planned(stage), false).invocation;
	if (findProgram(command, ctx.env.PATH, ctx.workspace.dir) !== null) return null;
	return command.includes('/') ? (ctx.servantOf(stage.tool).file.command ?? command) : command;
}

function installOf(ctx: RunContext, tool: string, command: string): string {
	const { install } = ctx.servantOf(tool).servant.care;
	return install === null ? placeProgram(tool, command) : `run ${install}`;
}
