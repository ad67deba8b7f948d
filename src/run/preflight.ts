import type { PlannedStage } from '../contract/plan.ts';
import { stageOf } from '../journal/packet-state.ts';
import { findProgram } from '../process/find-program.ts';
import { attemptOf } from './attempt.ts';
import { finishWithoutCall } from './finish-without-call.ts';
import type { RunContext } from './run-context.ts';

/**
 * Before the first call of a run every planned program is looked for. A missing one with a fallback is left to its stage; without, the run
 * ends here, before anything is paid.
 */
export function preflight(ctx: RunContext): boolean {
	const missing = ctx.plan.stages.filter(
		(stage) => stageOf(ctx.journal.state, stage.name).status !== 'passed' && missingProgram(ctx, stage) !== null,
	);
	const hopeless = missing.filter((stage) => !stage.fallback.some((tool) => missingProgram(ctx, { ...stage, tool }) === null));
	for (const stage of hopeless) {
		finishWithoutCall(ctx, {
			stage: { ...stage, fallback: [] },
			failure: { class: 'tool_missing', command: missingProgram(ctx, stage)! },
			acceptance: [],
			digestAggressive: false,
		});
	}
	return hopeless.length === 0;
}

/** The program a stage would call, if it cannot be found. */
export function missingProgram(ctx: RunContext, stage: PlannedStage): string | null {
	const { command } = attemptOf(ctx, stage, likeReserved(stage), false).invocation;
	return findProgram(command, ctx.env.PATH, ctx.workspace.dir) === null ? command : null;
}

const likeReserved = (stage: PlannedStage): Parameters<typeof attemptOf>[2] => ({
	time: '',
	task_id: '',
	type: 'stage_reserved',
	stage: stage.name,
	attempt: 0,
	provider: stage.tool,
	kind: 'first',
	token: '',
	paid: false,
	role: stage.role,
	model: stage.model,
	effort: stage.effort,
	timeout_sec: stage.timeout_sec,
	timeout_mode: stage.timeout_mode,
	max_steps: stage.max_steps,
	prompt_sha256: '',
	prompt_bytes: 0,
	inputs_sha256: '',
	session: null,
	boot_id: '',
	pid_namespace: '',
	host: '',
});
