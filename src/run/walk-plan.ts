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
	for (;;) {
		if (ending === null) {
			for (const stage of readyStages(ctx, running)) if (!running.has(stage.name)) running.set(stage.name, ranStage(ctx, stage));
		}
		if (running.size === 0) return ending ?? 'done';
		const { name, end } = await firstOf(running, leave, ctx.barrier.paid());
		running.delete(name);
		if (end === 'halted') ending ??= 'halted';
		if (end === 'failed') ending = 'failed';
	}
}

/** What still runs is not yet there for others, though the journal may say so already. */
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
async function firstOf(running: Map<string, Promise<{ name: string; end: StageEnd }>>, leave: () => void, paid: Promise<void>) {
	const first = Promise.race(running.values());
	try {
		await Promise.all([paid, first]);
		return await first;
	} catch (error) {
		leave();
		await Promise.allSettled(running.values());
		throw error;
	}
}
