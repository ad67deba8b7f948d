import type { EventOf } from '../contract/event.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { DiskTrouble } from '../packet/disk.ts';
import { type Guard, type GuardRequest, takeSlot, takeTree } from '../packet/guards.ts';
import { sameProcessAlive } from '../process/identity.ts';
import type { Ahead } from './ahead.ts';
import { type Collected, collect } from './collect.ts';
import type { ComposedStage } from './compose-stage.ts';
import { followAttempt } from './follow-attempt.ts';
import { treeAtStart } from './guarded-tree.ts';
import { pauseUnless } from './halt.ts';
import { reserve } from './reserve.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { startAttempt } from './start-attempt.ts';

interface Call {
	readonly stage: PlannedStage;
	readonly kind: EventOf<'stage_reserved'>['kind'];
	readonly composed: ComposedStage;
	readonly ahead: Ahead;
	readonly digestAggressive: boolean;
}

/** One call of a servant, from its place in the queue for the work tree to its collected answer. `refused`: it never came to a call. */
export async function callServant(
	ctx: RunContext,
	call: Call,
): Promise<{ result: Collected | 'left' | 'halted' } | { refused: StageFailure }> {
	const guards = await takeGuards(ctx, call);
	if (guards === null) return { result: 'halted' };
	try {
		return await guardedCall(ctx, call);
	} finally {
		for (const guard of guards) guard.release();
	}
}

async function guardedCall(ctx: RunContext, { stage, kind, composed, ahead, digestAggressive }: Call): ReturnType<typeof callServant> {
	const tree = await treeAtStart(ctx, stage.access);
	if (!tree.ok) return { refused: { class: 'unknown', reason: `the work tree could not be looked at: ${tree.failures[0]}` } };
	const { paid } = ctx.servantOf(stage.tool).servant;
	if (paid && !ctx.purse.takeCall()) return { result: 'halted' };
	const reserved = reserve(ctx, { stage, kind, token: ahead.token, composed, tree: tree.value });
	if (!reserved.ok) {
		if (paid) ctx.purse.giveBack();
		return { refused: reserved.failures[0] };
	}
	const { attempt, files } = reserved.value;
	const started = await startAttempt(ctx, attempt, { durable: ctx.barrier.reach(files), ahead });
	if (!started.ok) {
		const [{ kind: what, code, message, cancelled }] = started.failures;
		// The next run finds that it never began, and gives it back.
		if (what === 'files') throw new DiskTrouble(code ?? message, attempt.names.dir, 'opening files in');
		if (paid && cancelled) ctx.purse.giveBack();
		ctx.journal.append({
			time: timeOf(ctx),
			task_id: ctx.names.id,
			type: 'stage_collected',
			stage: stage.name,
			attempt: attempt.reserved.attempt,
			provider: stage.tool,
			call: cancelled ? 'returned' : 'in_doubt',
			adopted: false,
		});
		return { refused: { class: 'unknown', reason: `the servant could not be started: ${message}` } };
	}
	const ended = await followAttempt(ctx, attempt, started.value);
	return { result: ended === 'left' ? 'left' : await collect(ctx, attempt, ended, digestAggressive) };
}

/** The work tree (alone for a writer in place, shared for readers) and, where it is limited, a place among the servant's calls. */
async function takeGuards(ctx: RunContext, { stage, ahead }: Pick<Call, 'stage' | 'ahead'>): Promise<Guard[] | null> {
	const request: GuardRequest = {
		root: ctx.names.root,
		self: ctx.self,
		command: `${ctx.names.id} ${stage.name}`,
		now: () => timeOf(ctx),
		liveness: sameProcessAlive,
	};
	const most = ctx.servantOf(stage.tool).file.max_concurrent ?? null;
	let toldMs = 0;
	for (let waitMs = 20; ; waitMs = Math.min(250, waitMs * 2)) {
		if (ctx.halt.gently.aborted || ctx.halt.leave.aborted) return null;
		const tree = ctx.workspace.git ? takeTree(request, ctx.workspace.dir, stage.access) : 'free';
		const slot = tree === null ? null : most === null ? 'free' : takeSlot(request, stage.tool, most);
		if (tree !== null && slot !== null) return [tree, slot].filter((guard): guard is Guard => typeof guard === 'object');
		if (typeof tree === 'object') tree?.release();
		// It may take long: a wrapper's clock must not run meanwhile.
		ahead.drop();
		if (ctx.now().getTime() - toldMs > 1000) {
			toldMs = ctx.now().getTime();
			tellWaiting(ctx, stage, tree === null ? 'waiting for the work tree' : `waiting for a free ${stage.tool}`);
		}
		await pauseUnless(waitMs, ctx.halt.gently, ctx.halt.leave);
	}
}

function tellWaiting(ctx: RunContext, stage: PlannedStage, activity: string): void {
	ctx.tell({
		time: timeOf(ctx),
		task_id: ctx.names.id,
		type: 'stage_progress',
		stage: stage.name,
		attempt: 0,
		provider: stage.tool,
		elapsed_sec: 0,
		steps: null,
		cost_usd: null,
		overtime: false,
		activity,
	});
}
