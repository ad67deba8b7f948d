import { ExitCode, exitCodeOf, gravest } from '../contract/exit-code.ts';
import type { PacketStatus } from '../contract/words.ts';
import { stageOf } from '../journal/packet-state.ts';
import type { Journal } from '../packet/journal-file.ts';
import { statusOf } from '../triage/outcome-of.ts';
import type { RunContext } from './run-context.ts';
import type { NoPlace, RunOrder } from './run-order.ts';

interface WalkEnd {
	readonly status: PacketStatus;
	readonly exitCode: number;
	/** Where status and failures do not tell what to do. */
	readonly nextAction?: string;
}

/** How a run that walked its plan ended. */
export function endOf(ctx: RunContext, walked: 'done' | 'failed' | 'halted'): WalkEnd {
	if (walked === 'done') return { status: 'completed', exitCode: ExitCode.completed };
	const failed = ctx.plan.stages
		.map((stage) => stageOf(ctx.journal.state, stage.name))
		.filter((stage) => stage.status === 'failed' && stage.failure !== null);
	const interrupted = ctx.halt.gently.aborted;
	const codes = [...failed.map((stage) => exitCodeOf(stage.failure!.class)), ...(interrupted ? [ExitCode.interrupted] : [])];
	if (codes.length === 0) return endOfHalted(ctx);
	const exitCode = gravest(codes);
	const speaking = failed.find((stage) => exitCodeOf(stage.failure!.class) === exitCode);
	return { status: interrupted ? 'interrupted' : speaking ? statusOf(speaking.failure!.class) : 'failed', exitCode };
}

/** Nothing failed. A packet that got no call out of the queue's purse stands as if it had not run. */
function endOfHalted({ purse, journal, names }: RunContext): WalkEnd {
	const empty = purse.empty();
	if (empty === null) return { status: 'interrupted', exitCode: ExitCode.interrupted };
	const exitCode = ExitCode.budget;
	if (journal.state.metas.length === 0) return { status: 'pending', exitCode };
	return { status: 'interrupted', exitCode, nextAction: `continue: ${empty}; dispatch run ${names.id} continues where it stopped` };
}

const exitWithoutPlace = {
	invalid: ExitCode.invalid,
	needs_human: ExitCode.needsHuman,
	interrupted: ExitCode.interrupted,
} as const;

/** The run owned the packet, so it says how it ended, although no stage began. */
export function endWithoutPlace(order: RunOrder, journal: Journal, { status, fix }: NoPlace): number {
	const { id } = order.opened.names;
	const again = `dispatch run ${id}`;
	const exitCode = exitWithoutPlace[status];
	journal.append({
		time: order.now().toISOString(),
		task_id: id,
		type: 'run_finished',
		status,
		exit_code: exitCode,
		next_action:
			status === 'interrupted'
				? `continue: ${again} continues where it stopped`
				: `fix_workspace: ${fix ?? 'mend what is named under Problems'}, then ${again}`,
	});
	return exitCode;
}
