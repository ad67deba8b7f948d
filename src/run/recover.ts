import { z } from 'zod';
import type { EventOf } from '../contract/event.ts';
import type { Ending } from '../contract/evidence.ts';
import { Meta } from '../contract/meta.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { DiskTrouble, removeTree } from '../packet/disk.ts';
import { isAnswer } from '../packet/marker.ts';
import { attemptTmp } from '../packet/names.ts';
import { readJson, sizeOf } from '../packet/read.ts';
import { sweepToken } from '../process/end-attempt.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { pause } from '../process/pause.ts';
import { cancelRecord, type RecordState, readRecord } from '../process/record.ts';
import { watchDescendants } from '../process/watch-descendants.ts';
import { type Attempt, attemptOf } from './attempt.ts';
import { type Collected, collect } from './collect.ts';
import { followAttempt, readEnded } from './follow-attempt.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { adoptGuards, whileHeld } from './take-guards.ts';

/**
 * What became of an attempt that an earlier run reserved and never finished. First match:
 *
 *   record says exit            collect it: read its stream from the start, gate it
 *   record says cancelled       it never ran: given back
 *   started, wrapper alive      adopt it: follow from the start, limits counted from the reservation
 *   started, wrapper dead       sweep what survived, keep what is there; it counts, and is not repeated by itself
 *   no record, same boot        cancel it ourselves: if that succeeds it never ran and never will: given back
 *   anything else               in doubt: it counts
 *
 * null: given back, the stage starts anew.
 */
export async function recover(
	ctx: RunContext,
	stage: PlannedStage,
	reserved: EventOf<'stage_reserved'>,
): Promise<Collected | 'left' | null> {
	const attempt = attemptOf(ctx, stage, reserved, true);
	const record = await settledRecord(attempt);
	if (record.state === 'cancelled') return giveBack(ctx, attempt);
	if (record.state === 'exited') return collectLeft(ctx, attempt, !isWhole(ctx, attempt));
	if (record.state === 'none') {
		if (!sameMachine(ctx, reserved)) return collectLeft(ctx, attempt, true);
		const cancelled = cancelRecord(attempt.names.record);
		if (cancelled === 'failed') throw new DiskTrouble('the file could not be made', attempt.names.record, 'cancelling');
		if (cancelled === 'cancelled') return giveBack(ctx, attempt);
		return recover(ctx, stage, reserved);
	}
	const wrapper = wrapperOf(attempt, record);
	if (wrapper !== null && sameProcessAlive(wrapper) === 'alive') {
		ctx.journal.append({ ...about(ctx, attempt), type: 'stage_started', pid: wrapper.pid, start_time: wrapper.start_time, adopted: true });
		return whileHeld(
			adoptGuards(ctx, stage, wrapper),
			() => followed(ctx, attempt, wrapper),
			(result) => result === 'left',
		);
	}
	// Dead, or it finished while we looked.
	const again = readRecord(attempt.names.record);
	return collectLeft(ctx, attempt, again.state !== 'exited');
}

async function followed(ctx: RunContext, attempt: Attempt, wrapper: ProcessIdentity): Promise<Collected | 'left'> {
	const ended = await followAttempt(ctx, attempt, { wrapper, exited: null });
	return ended === 'left' ? 'left' : collect(ctx, attempt, ended, unknownPrompt);
}

/**
 * After a power cut the wrapper's word that its servant ended may be there, and the end of the answer not. A stream shows its own end; of
 * plain text only a collection that came so far tells.
 */
function isWhole(ctx: RunContext, { reserved, invocation, names }: Attempt): boolean {
	if (reserved.boot_id === ctx.self.boot_id || invocation.output === 'jsonl') return true;
	const meta = readJson(names.meta, Meta);
	return meta !== null && sizeOf(names.out) === meta.out_bytes && isAnswer(names.out, meta.out_sha256);
}

/** How its prompt was made nobody knows any more, so a tighter one is worth a try. */
const unknownPrompt = () => true;

/** An empty record was claimed a moment ago or by somebody who died in that moment. */
async function settledRecord(attempt: Attempt): Promise<RecordState> {
	const record = readRecord(attempt.names.record);
	if (record.state !== 'empty') return record;
	await pause(100);
	return readRecord(attempt.names.record);
}

async function collectLeft(ctx: RunContext, attempt: Attempt, lost: boolean): Promise<Collected> {
	const { token } = attempt.reserved;
	const swept = watchDescendants({ token, root: null, intervalMs: null }).look().length > 0;
	await sweepToken(token, { graceMs: 1000, immediately: ctx.halt.atOnce });
	const ending = readJson(attempt.names.ending, z.any()) as Ending | null;
	const record = readRecord(attempt.names.record);
	const limit: Ending | null = record.limitHit ? { why: 'timeout', limitSec: attempt.reserved.timeout_sec } : null;
	const left = { ending: ending ?? limit, lost: lost && ending === null && limit === null, swept };
	return collect(ctx, attempt, await readEnded(ctx, attempt, left), unknownPrompt);
}

function giveBack(ctx: RunContext, attempt: Attempt): null {
	removeTree(attemptTmp(ctx.names.root, attempt.reserved.token));
	ctx.journal.append({ ...about(ctx, attempt), type: 'stage_collected', call: 'returned', adopted: true });
	return null;
}

function wrapperOf({ reserved }: Attempt, record: RecordState) {
	if (record.pid === null || record.startTime === null) return null;
	const { boot_id, pid_namespace, host } = reserved;
	return { pid: record.pid, start_time: record.startTime, boot_id, pid_namespace, host };
}

const sameMachine = (ctx: RunContext, reserved: EventOf<'stage_reserved'>): boolean =>
	reserved.boot_id === ctx.self.boot_id && reserved.pid_namespace === ctx.self.pid_namespace && reserved.host === ctx.self.host;

const about = (ctx: RunContext, { reserved }: Attempt) => ({
	time: timeOf(ctx),
	task_id: ctx.names.id,
	stage: reserved.stage,
	attempt: reserved.attempt,
	provider: reserved.provider,
});
