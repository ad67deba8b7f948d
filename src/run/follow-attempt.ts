import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { EventOf } from '../contract/event.ts';
import type { Ending } from '../contract/evidence.ts';
import type { Progress } from '../contract/servant.ts';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { costOf } from '../journal/totals.ts';
import { writeJson } from '../packet/disk.ts';
import { readTail } from '../packet/read.ts';
import { awaitExit } from '../process/await-exit.ts';
import { endAttempt } from '../process/end-attempt.ts';
import { followFile } from '../process/follow.ts';
import { pause } from '../process/pause.ts';
import { cancelRecord, type RecordState, readRecord } from '../process/record.ts';
import { type Descendants, watchDescendants } from '../process/watch-descendants.ts';
import { startProgress } from '../servant/progress.ts';
import { type Attempt, sessionIdOf } from './attempt.ts';
import { aborted } from './halt.ts';
import { type RunContext, timeOf } from './run-context.ts';

/** An attempt whose servant no longer runs, and all that following it told. */
export interface Ended {
	readonly record: RecordState;
	/** Exit code of the wrapper where it was our own child. */
	readonly wrapperExit: number | null;
	readonly ending: Ending | null;
	/** The wrapper died without a word. */
	readonly lost: boolean;
	/** It and all it started were over before anybody looked. */
	readonly unseen: boolean;
	/** Null where nobody saw it, and nothing that is left tells. */
	readonly endedAt: Date | null;
	readonly progress: Progress;
	/** Hash and size of what a text servant wrote. */
	readonly stdout: { readonly sha256: string; readonly bytes: number };
}

export interface Followed {
	readonly wrapper: ProcessIdentity;
	/** Our own child's end; null when it was adopted. */
	readonly exited: Promise<{ readonly code: number | null }> | null;
	/** Lets us exit while it goes on. */
	readonly unref?: () => void;
}

/** Follows an attempt to its end, within its limits. `left`: we were told to go and leave it running. */
export async function followAttempt(ctx: RunContext, attempt: Attempt, { wrapper, exited, unref }: Followed): Promise<Ended | 'left'> {
	const reader = readerOf(attempt);
	const stdoutFile = attempt.invocation.output === 'jsonl' ? attempt.names.stream : attempt.names.out;
	const follower = followFile({ file: stdoutFile, onChunk: reader.push });
	const remembered = watchDescendants({ token: attempt.reserved.token, root: { pid: wrapper.pid, startTime: wrapper.start_time } });
	const over = new AbortController();
	const gone = awaitGone(attempt, wrapper, exited, over.signal);
	let ending: Ending | null = null;
	let wrapperExit: number | null = null;
	let leaving = true;
	let written = false;
	try {
		for (;;) {
			const first = await Promise.race([gone, pause(200, over.signal, ctx.halt.gently, ctx.halt.leave).then(() => null)]);
			if (first !== null) {
				wrapperExit = first.wrapperExit;
				break;
			}
			if (ctx.halt.leave.aborted) return 'left';
			// Here and not when it starts: most of what ends at once needs no summary that says it runs.
			if (!written) ctx.settle.now();
			written = true;
			report(ctx, attempt, reader.value());
			ending = whyEnd(ctx, attempt, reader);
			if (ending === null) continue;
			// Written first: whoever comes after us must know that it was us, and why.
			writeJson(attempt.names.ending, ending);
			await endAttempt({ remembered, wrapperPid: wrapper.pid, immediately: ctx.halt.atOnce });
			wrapperExit = (await gone).wrapperExit;
			break;
		}
		leaving = false;
	} finally {
		over.abort('over');
		remembered.stop();
		// Told to go, or kept from going on by the disk: nothing may hold us here.
		if (leaving) {
			follower.stop();
			unref?.();
		}
	}
	const endedAt = ctx.now();
	await sweep(remembered, ctx);
	await follower.drain();
	follower.stop();
	const record = lastRecord(attempt.names.record);
	const progress = reader.end(record.exitCode);
	ending ??= overLimit(ctx, attempt, reader);
	const lost = record.state !== 'exited' && ending === null;
	return { record, wrapperExit, ending, lost, unseen: false, endedAt, progress, stdout: reader.stdout() };
}

/** A wrapper that is gone and has claimed nothing never will, if we can claim it in its place. */
function lastRecord(file: string): RecordState {
	const record = readRecord(file);
	return record.state === 'none' && cancelRecord(file) === 'cancelled' ? readRecord(file) : record;
}

/**
 * Asked while the servant works and once more when it has ended: who runs past a limit faster than we look is over it all the same.
 * What a success event brings with it has been paid for, and so has its answer: of the cost only what came before it counts here.
 */
function overLimit(ctx: RunContext, { reserved, file }: Attempt, reader: ReturnType<typeof readerOf>): Ending | null {
	const { stepsComputed, costBeforeSuccessUsd } = reader.value();
	if (stepsComputed !== null && stepsComputed > reserved.max_steps)
		return { why: 'max_steps', limit: reserved.max_steps, steps: stepsComputed };
	const limitUsd = ctx.plan.budgets.max_cost_usd;
	const spent = (costOf(ctx.journal.state.metas) ?? 0) + (costBeforeSuccessUsd ?? 0);
	if (limitUsd !== null && costBeforeSuccessUsd !== null && spent > limitUsd) return { why: 'cost', limitUsd, costUsd: spent };
	const limitMb = file.wrapper_defaults?.max_output_mb ?? 2048;
	return reader.outputBytes() > limitMb * 1024 * 1024 ? { why: 'output_limit', limitMb } : null;
}

/** What the servant started and left behind would go on writing after its answer. */
async function sweep(remembered: Descendants, ctx: RunContext): Promise<void> {
	// The wrapper's watchdog was called off a moment ago and may still be going.
	for (let looks = 0; remembered.glance().length > 0; looks++) {
		if (looks === 3) return void (await endAttempt({ remembered, graceMs: 1000, immediately: ctx.halt.atOnce }));
		await pause(1);
	}
}

/** Reads an attempt that ended without us, from what it left. */
export async function readEnded(
	ctx: RunContext,
	attempt: Attempt,
	{ ending, lost, swept }: { readonly ending: Ending | null; readonly lost: boolean; readonly swept: boolean },
): Promise<Ended> {
	const reader = readerOf(attempt);
	const follower = followFile({
		file: attempt.invocation.output === 'jsonl' ? attempt.names.stream : attempt.names.out,
		onChunk: reader.push,
	});
	await follower.drain();
	follower.stop();
	const record = readRecord(attempt.names.record);
	const progress = reader.end(record.exitCode);
	// The last that was written of it: the wrapper's word on its end or its limit, or ours that we are ending it.
	const last = record.state === 'exited' || record.limitHit ? attempt.names.record : attempt.names.ending;
	const endedAt = statSync(last, { throwIfNoEntry: false })?.mtime ?? null;
	const unseen = record.state === 'exited' && !lost && !swept;
	return {
		record,
		wrapperExit: null,
		ending: ending ?? overLimit(ctx, attempt, reader),
		lost,
		unseen,
		endedAt,
		progress,
		stdout: reader.stdout(),
	};
}

const errTail = 64 * 1024;

function readerOf(attempt: Attempt) {
	const { reserved, servant, file, invocation, names } = attempt;
	const progress = startProgress({
		servant,
		model: reserved.model,
		prices: file.prices ?? {},
		baseline: reserved.session?.usage ?? null,
		session: reserved.session?.id ?? (servant.choosesSession ? sessionIdOf(reserved.token) : null),
	});
	const hash = createHash('sha256');
	let bytes = 0;
	/** Known without another look where the end of the file was all of it. */
	let errBytes: number | null = null;
	const text = invocation.output === 'text';
	return {
		push: (chunk: Buffer) => {
			bytes += chunk.length;
			if (text) hash.update(chunk);
			else progress.push(chunk);
		},
		value: () => progress.value,
		end: (exitCode: number | null) => {
			const stderr = readTail(names.err, errTail);
			const read = Buffer.byteLength(stderr);
			errBytes = read < errTail ? read : null;
			progress.end({
				exitCode,
				stderr,
				scratchFile: (name) => readTail(`${names.scratch}/${name}`, 4 * 1024 * 1024) || null,
			});
			return progress.value;
		},
		outputBytes: () => bytes + (errBytes ?? bytesOf(names.err)),
		stdout: () => ({ sha256: hash.copy().digest('hex'), bytes }),
	};
}

async function awaitGone(
	attempt: Attempt,
	wrapper: ProcessIdentity,
	exited: Followed['exited'],
	signal: AbortSignal,
): Promise<{ wrapperExit: number | null }> {
	if (exited !== null) {
		const end = await Promise.race([exited, aborted(signal)]);
		return { wrapperExit: end?.code ?? null };
	}
	await awaitExit({ recordFile: attempt.names.record, wrapper, signal });
	return { wrapperExit: null };
}

function whyEnd(ctx: RunContext, attempt: Attempt, reader: ReturnType<typeof readerOf>): Ending | null {
	const { reserved } = attempt;
	if (ctx.halt.gently.aborted) return { why: 'interrupted' };
	const limitSec = reserved.timeout_sec * (reserved.timeout_mode === 'wait_done' ? 4 : 1);
	if (limitSec > 0 && elapsed(ctx, reserved) > limitSec) return { why: 'timeout', limitSec };
	return overLimit(ctx, attempt, reader);
}

function bytesOf(file: string): number {
	return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const elapsed = (ctx: RunContext, reserved: EventOf<'stage_reserved'>): number => (ctx.now().getTime() - Date.parse(reserved.time)) / 1000;

const lastKept = new WeakMap<EventOf<'stage_reserved'>, number>();
const lastTold = new WeakMap<EventOf<'stage_reserved'>, number>();

/** Kept in the journal at the progress interval; shown each second in between. */
function report(ctx: RunContext, { reserved }: Attempt, progress: Progress): void {
	const seconds = elapsed(ctx, reserved);
	const event: EventOf<'stage_progress'> = {
		time: timeOf(ctx),
		task_id: reserved.task_id,
		type: 'stage_progress',
		stage: reserved.stage,
		attempt: reserved.attempt,
		provider: reserved.provider,
		elapsed_sec: Math.round(seconds * 10) / 10,
		steps: progress.stepsComputed,
		cost_usd: progress.costUsd,
		overtime: reserved.timeout_mode === 'wait_done' && reserved.timeout_sec > 0 && seconds > reserved.timeout_sec,
		activity: null,
	};
	if (seconds - (lastKept.get(reserved) ?? 0) >= ctx.options.progressIntervalSec) {
		lastKept.set(reserved, seconds);
		ctx.journal.append(event);
	} else if (seconds - (lastTold.get(reserved) ?? 0) >= 1) {
		lastTold.set(reserved, seconds);
		ctx.tell(event);
	}
}
