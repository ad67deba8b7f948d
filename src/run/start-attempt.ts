import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { loadHash } from '../contract/sha256.ts';
import { ensureDir, writeWhole } from '../packet/disk.ts';
import { attemptTmp } from '../packet/names.ts';
import { servantEnv } from '../process/servant-env.ts';
import { type SpawnFailure, startWrapper } from '../process/wrapper.ts';
import type { Attempt } from './attempt.ts';
import type { Followed } from './follow-attempt.ts';
import { type RunContext, timeOf } from './run-context.ts';

/** The wrapper's own clock is a backstop for when we are gone; while we live, we act first. */
const backstopSec = 60;

/** The wrapper's shell starts while the disk works, and waits: its servant may run when the reservation is durable. */
export async function startAttempt(ctx: RunContext, attempt: Attempt, durable: Promise<void>): Promise<Outcome<Followed, SpawnFailure>> {
	const { reserved, names, servant, file, invocation } = attempt;
	const tmpdir = attemptTmp(ctx.names.root, reserved.token);
	ensureDir(tmpdir, 0o700);
	const { args, env, files } = invocation;
	if ([...args, ...Object.values(env), ...Object.keys(files)].some((word) => word.includes(names.scratch))) ensureDir(names.scratch);
	for (const [path, text] of Object.entries(files)) writeWhole(path, text, 0o600);
	const hard = reserved.timeout_sec * (reserved.timeout_mode === 'wait_done' ? 4 : 1);
	const started = await startWrapper({
		command: invocation.command,
		args: invocation.args,
		env: servantEnv({ from: ctx.env, names: [...servant.env, ...(file.env ?? [])], set: invocation.env, token: reserved.token, tmpdir }),
		cwd: ctx.workspace.dir,
		token: reserved.token,
		recordFile: names.record,
		promptFile: invocation.prompt === 'stdin' ? names.prompt : null,
		stdoutFile: invocation.output === 'jsonl' ? names.stream : names.out,
		stderrFile: names.err,
		wrapperErrFile: names.wrapperErr,
		hardLimitSec: hard > 0 ? hard + backstopSec : null,
	});
	if (!started.ok) {
		await durable;
		return fail(started.failures[0]);
	}
	const { pid, startTime, exited, unref, proceed, abandon } = started.value;
	try {
		await durable;
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
		// The servant has begun: there is time to say so, and to load what its answer will need.
		ctx.settle.once();
		loadHash();
	} catch (error) {
		// The disk says no: the wrapper goes on without us, and must not hold us.
		unref();
		throw error;
	}
	const { boot_id, pid_namespace, host } = ctx.self;
	return pass({ wrapper: { pid, start_time: startTime ?? '', boot_id, pid_namespace, host }, exited, unref });
}
