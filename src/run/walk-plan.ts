import type { PlannedStage } from '../contract/plan.ts';
import { stageOf } from '../journal/packet-state.ts';
import type { Collected } from './collect.ts';
import { recover } from './recover.ts';
import type { RunContext } from './run-context.ts';
import { runStage, type StageEnd } from './run-stage.ts';

/**
 * Runs every stage whose needs are met, side by side. When one fails for good, or we are told to stop, those that run may
 * finish and no new one starts.
 */
export async function walkPlan(ctx: RunContext, leave: () => void): Promise<'done' | 'failed' | 'halted'> {
	const running = new Map<string, Promise<{ name: string; end: StageEnd }>>();
	let ending: 'failed' | 'halted' | null = null;
	let isTold = false;
	for (;;) {
		if (ending === null) {
			for (const stage of readyStages(ctx, running)) if (!running.has(stage.name)) running.set(stage.name, ranStage(ctx, stage));
		}
		if (running.size === 0) {
			// Whoever ends the run tells; who only leaves does not.
			if (!isTold && ctx.halt.leave.aborted) ctx.settle.now();
			return ending ?? 'done';
		}
		// The summary is written while the next stage waits for the disk; it is made from the journal and can be made again.
		const told = isTold ? null : ctx.settle.soon();
		isTold = true;
		const { name, end } = await firstOf(running, leave, told);
		running.delete(name);
		isTold = false;
		if (end === 'halted') ending ??= 'halted';
		if (end === 'failed') ending = 'failed';
	}
}

/** The journal says `passed` a moment before the files stand under their names: what still runs is not yet there for others. */
function readyStages(ctx: RunContext, running: ReadonlyMap<string, unknown>): PlannedStage[] {
	const passed = (name: string) => !running.has(name) && stageOf(ctx.journal.state, name).status === 'passed';
	return ctx.plan.stages.filter((stage) => {
		const { status, open } = stageOf(ctx.journal.state, stage.name);
		return status !== 'passed' && (open !== null || (status !== 'failed' && stage.needs.every(passed)));
	});
}

async function ranStage(ctx: RunContext, stage: PlannedStage): Promise<{ name: string; end: StageEnd }> {
	const { open } = stageOf(ctx.journal.state, stage.name);
	const called =
		open !== null && open.provider !== stage.tool ? { ...ctx.stageFor(stage, open.provider), name: stage.name, needs: stage.needs } : stage;
	const recovered: Collected | 'left' | null = open === null ? null : await recover(ctx, called, open);
	return { name: stage.name, end: await runStage(ctx, stage, recovered) };
}

/** If one stage meets trouble that ends the run (a full disk, a lost lock), the others are left to a later run, not ended. */
async function firstOf(running: Map<string, Promise<{ name: string; end: StageEnd }>>, leave: () => void, told: Promise<void> | null) {
	const first = Promise.race(running.values());
	try {
		await Promise.all([told, first]);
		return await first;
	} catch (error) {
		leave();
		await Promise.allSettled(running.values());
		throw error;
	}
}
