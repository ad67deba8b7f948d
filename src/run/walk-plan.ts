import type { PlannedStage } from '../contract/plan.ts';
import { stageOf } from '../journal/packet-state.ts';
import type { Collected } from './collect.ts';
import { preflight } from './preflight.ts';
import { recover } from './recover.ts';
import type { RunContext } from './run-context.ts';
import { runStage, type StageEnd } from './run-stage.ts';

/** How a stage ended in this run. */
interface Ran {
	readonly name: string;
	readonly end: StageEnd;
}

/**
 * Runs every stage whose needs are met, side by side. When one fails for good, or we are told to stop, those that run may
 * finish and no new one starts.
 */
export async function walkPlan(ctx: RunContext, leave: (error: unknown) => void): Promise<'done' | 'failed' | 'halted'> {
	const running = new Map<string, Promise<Ran>>();
	let ending: 'failed' | 'halted' | null = preflight(ctx) ? null : 'failed';
	// Who may call nobody still fetches what an earlier run has paid for.
	if (ending !== null) for (const stage of ctx.plan.stages) if (openOf(ctx, stage) !== null) running.set(stage.name, fetched(ctx, stage));
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

async function ranStage(ctx: RunContext, stage: PlannedStage): Promise<Ran> {
	return { name: stage.name, end: await runStage(ctx, stage, await recovered(ctx, stage)) };
}

/** What to do about its answer is left to a run that can do it. */
async function fetched(ctx: RunContext, stage: PlannedStage): Promise<Ran> {
	await recovered(ctx, stage);
	return { name: stage.name, end: 'halted' };
}

const openOf = (ctx: RunContext, { name }: PlannedStage) => stageOf(ctx.journal.state, name).open;

async function recovered(ctx: RunContext, stage: PlannedStage): Promise<Collected | 'left' | null> {
	const open = openOf(ctx, stage);
	if (open === null) return null;
	const called = open.provider === stage.tool ? stage : { ...ctx.stageFor(stage, open.provider), name: stage.name, needs: stage.needs };
	return recover(ctx, called, open);
}

/** If one stage meets trouble that ends the run (a full disk, a lost lock), the others are left to a later run, not ended. */
async function firstOf(running: Map<string, Promise<Ran>>, leave: (error: unknown) => void, paid: Promise<void>) {
	const first = Promise.race(running.values());
	try {
		await Promise.all([paid, first]);
		return await first;
	} catch (error) {
		leave(error);
		await Promise.allSettled(running.values());
		throw error;
	}
}
