import type { EventOf } from '../contract/event.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { DiskTrouble } from '../packet/disk.ts';
import type { Guard } from '../packet/guards.ts';
import type { Ahead } from './ahead.ts';
import { type Collected, collect } from './collect.ts';
import type { ComposedStage } from './compose-stage.ts';
import { followAttempt } from './follow-attempt.ts';
import { reserve } from './reserve.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { startAttempt } from './start-attempt.ts';
import { takeGuards, whileHeld } from './take-guards.ts';

interface Call {
	readonly stage: PlannedStage;
	readonly kind: EventOf<'stage_reserved'>['kind'];
	readonly composed: ComposedStage;
	readonly ahead: Ahead;
	readonly canTighten: () => boolean;
}

/** One call of a servant, from its place in the queue for the work tree to its collected answer. `refused`: it never came to a call. */
export async function callServant(
	ctx: RunContext,
	call: Call,
): Promise<{ result: Collected | 'left' | 'halted' } | { refused: StageFailure }> {
	// It may take long: a wrapper's clock must not run meanwhile.
	const guard = await takeGuards(ctx, call.stage, call.ahead.drop);
	if (guard === null) return { result: 'halted' };
	return whileHeld(
		guard,
		() => guardedCall(ctx, call, guard),
		(called) => 'result' in called && called.result === 'left',
	);
}

async function guardedCall(ctx: RunContext, call: Call, guard: Guard): ReturnType<typeof callServant> {
	const { stage, kind, composed, ahead, canTighten } = call;
	const tree = await ctx.tree.atStart(stage.access);
	if (!tree.ok) return { refused: { class: 'unknown', reason: `the work tree could not be looked at: ${tree.failures[0]}` } };
	const { paid } = ctx.servantOf(stage.tool).servant;
	if (paid && !ctx.purse.takeCall()) return { result: 'halted' };
	const reserved = reserve(ctx, { stage, kind, token: ahead.token, composed, tree: tree.value });
	if (!reserved.ok) {
		if (paid) ctx.purse.giveBack();
		return { refused: reserved.failures[0] };
	}
	const { attempt, files } = reserved.value;
	const started = await startAttempt(ctx, attempt, { durable: ctx.barrier.reach(files), ahead, guard });
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
	return { result: ended === 'left' ? 'left' : await collect(ctx, attempt, ended, canTighten) };
}
