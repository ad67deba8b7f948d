import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { PlannedStage } from '../contract/plan.ts';
import { loadHash } from '../contract/sha256.ts';
import { stageOf } from '../journal/packet-state.ts';
import { ensureDir, writeWhole } from '../packet/disk.ts';
import type { Guard } from '../packet/guards.ts';
import { attemptTmp } from '../packet/names.ts';
import { type SpawnFailure, startWrapper } from '../process/wrapper.ts';
import type { Ahead } from './ahead.ts';
import type { Attempt } from './attempt.ts';
import type { Followed } from './follow-attempt.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { wrapperStart } from './wrapper-start.ts';

/** The wrapper's shell starts while the disk works, and waits: its servant may run when the reservation is durable. */
export async function startAttempt(
	ctx: RunContext,
	attempt: Attempt,
	{ durable, ahead, guard }: { durable: Promise<void>; ahead: Ahead; guard: Guard },
): Promise<Outcome<Followed, SpawnFailure>> {
	const { reserved, stage, names, invocation } = attempt;
	const { args, env, files } = invocation;
	if ([...args, ...Object.values(env), ...Object.keys(files)].some((word) => word.includes(names.scratch))) ensureDir(names.scratch);
	for (const [path, text] of Object.entries(files)) writeWhole(path, text, 0o600);
	const started = await startWrapper(wrapperStart(ctx, attempt), ahead.take(reserved.attempt));
	if (!started.ok) {
		await durable;
		return fail(started.failures[0]);
	}
	const { pid, startTime, exited, unref, proceed, abandon } = started.value;
	const { boot_id, pid_namespace, host } = ctx.self;
	const wrapper = { pid, start_time: startTime ?? '', boot_id, pid_namespace, host };
	try {
		if (startTime !== null) guard.name(wrapper);
		await durable;
		// Not before: after a power cut nobody would know whose it was.
		ensureDir(attemptTmp(ctx.names.root, reserved.token), 0o700);
	} catch (error) {
		abandon();
		throw error;
	}
	proceed();
	try {
		ctx.journal.append({
			time: timeOf(ctx),
			task_id: reserved.task_id,
			type: 'stage_started',
			stage: reserved.stage,
			attempt: reserved.attempt,
			provider: reserved.provider,
			pid,
			start_time: startTime ?? '',
			adopted: false,
		});
		// Its prompt is on its way, and the names by now; they are waited for with the answer.
		ctx.barrier.send([names.prompt, names.composeLog, names.dir]);
		// The servant has begun: when nobody else waits for his word there is time to say so, and to load what its answer will need.
		await ctx.barrier.latest();
		ctx.settle.once();
		loadHash();
		if (isFollowed(ctx, stage)) ctx.starter.lay();
	} catch (error) {
		// The disk says no: the wrapper goes on without us, and must not hold us.
		unref();
		throw error;
	}
	return pass({ wrapper, exited, unref });
}

/** Whether another stage of this run will need a wrapper. */
function isFollowed(ctx: RunContext, { name }: PlannedStage): boolean {
	return ctx.plan.stages.some((other) => {
		const { status, open } = stageOf(ctx.journal.state, other.name);
		return other.name !== name && status !== 'passed' && open === null;
	});
}
