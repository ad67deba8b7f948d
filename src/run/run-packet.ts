import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import type { Plan } from '../contract/plan.ts';
import type { PacketStatus } from '../contract/words.ts';
import { type PacketState, stageOf } from '../journal/packet-state.ts';
import { DiskTrouble, diskTroubleIn, ensureDir, remove, sync, writeJson, writeWhole } from '../packet/disk.ts';
import { removeDeadGuards } from '../packet/guards.ts';
import { Journal } from '../packet/journal-file.ts';
import { makeLayout, removeLeftovers } from '../packet/layout.ts';
import { acquireLock, type Lock, LockLost } from '../packet/lock.ts';
import type { PacketNames } from '../packet/names.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { makeRedactor } from '../prompt/redact.ts';
import { makeBarrier } from './barrier.ts';
import { changedInputs } from './changed-inputs.ts';
import { continuedPlan } from './continued-plan.ts';
import { draftDerived } from './derive.ts';
import { settleDone } from './done-stages.ts';
import { endOf, endWithoutPlace } from './end-run.ts';
import { guardTree } from './guarded-tree.ts';
import { haltOfRun, type RunHalt } from './halt.ts';
import type { RunContext } from './run-context.ts';
import type { RunEnd, RunOrder, Standing } from './run-order.ts';
import { makeSettle } from './settle.ts';
import { uncommittedWord } from './uncommitted.ts';
import { walkPlan } from './walk-plan.ts';

/** Runs a packet to its end, whatever that is. Foreseen ends are returned; only this place catches what others throw. */
export async function runPacket(order: RunOrder): Promise<RunEnd> {
	const { names } = order.opened;
	const halt = haltOfRun(order.halt);
	let lock: Lock | null = null;
	try {
		const taken = acquireLock({
			file: names.lock,
			self: ownIdentity(),
			command: order.command,
			now: order.now().toISOString(),
			liveness: sameProcessAlive,
		});
		if (!taken.ok) return { kind: 'locked', locked: taken.failures[0] };
		lock = taken.value;
		return await ownedRun(order, lock, halt);
	} catch (error) {
		const moved = error instanceof LockLost && !existsSync(names.dir);
		if (error instanceof LockLost && !moved) return { kind: 'lock_lost' };
		const trouble = moved ? new DiskTrouble('ENOENT', names.dir, 'writing') : diskTroubleIn(error);
		if (trouble !== null) return { kind: 'disk', trouble };
		keepStack(names, error);
		return { kind: 'bug', error };
	} finally {
		halt.forget();
		lock?.release();
	}
}

async function ownedRun(order: RunOrder, lock: Lock, halt: RunHalt): Promise<RunEnd> {
	const { names, loaded } = order.opened;
	const { manifest } = loaded;
	makeLayout(names);
	removeLeftovers(names);
	const timeNow = () => order.now().toISOString();
	removeDeadGuards({ root: names.root, self: lock.held, command: order.command, now: timeNow, liveness: sameProcessAlive });
	const journal = new Journal(names.journal, lock.check, order.listen);
	if (order.sole && journal.state.runs !== order.opened.state.runs) return { kind: 'overtaken' };
	const { plan, warnings, previous, rerun: again } = continuedPlan(names, order.opened.plan, journal.state, order.again);
	const { lost } = settleDone(names, plan, order.opened.project.roles.roles, journal, timeNow());
	const rerun = [...new Set([...lost, ...again])];
	const redactor = makeRedactor(manifest.security?.redaction_patterns ?? []);
	if (!redactor.ok) throw new Error(`a pattern passed validation and does not compile: ${redactor.failures[0]}`);
	const place = await order.openWorkspace(plan);
	const isPlace = !('problem' in place);

	let status: PacketStatus = 'in_progress';
	let changed: readonly string[] = [];
	const attemptsBefore = new Map([...journal.state.stages].map(([name, { attempt }]) => [name, attempt]));
	/** A stage that this run calls again takes its inputs as they are. */
	const isUntouched = (name: string) => {
		const stage = stageOf(journal.state, name);
		return stage.status === 'passed' && stage.attempt === attemptsBefore.get(name);
	};
	const standing = (): Standing => ({
		names,
		manifest,
		plan,
		state: journal.state,
		status,
		warnings: isPlace ? [...warnings, ...place.warnings] : warnings,
		changedInputs: changed.filter(isUntouched),
		workspace: isPlace ? place.facts : null,
		redact: (text) => redactor.value(text).text,
		problem: isPlace ? null : place.problem,
	});
	const stages = plan.stages.map((stage) => stage.name);
	const settle = makeSettle(() => {
		lock.check();
		return draftDerived(names, journal.state, stages, order.summary(standing()));
	}, [names.stats]);
	const barrier = makeBarrier(names.journal, settle);
	const begin = () => {
		writeJson(names.plan, plan);
		journal.append({
			time: timeNow(),
			task_id: names.id,
			type: 'run_started',
			version: order.version,
			pid: process.pid,
			flags: order.opened.flags,
			rerun,
			plan_stages: stages,
		});
	};
	if (!isPlace) {
		begin();
		const exitCode = endWithoutPlace(order, journal, place);
		status = place.status;
		barrier.owe([names.plan, names.dir]);
		await barrier.reach([]);
		await barrier.rest();
		await sync([names.stats, names.state, names.outputs]);
		return { kind: 'no_workspace', exitCode, ...place };
	}
	writeJson(names.workspace, place.facts);

	const ctx: RunContext = {
		names,
		manifest,
		plan,
		config: order.opened.project.config,
		roles: order.opened.project.roles,
		servantOf: order.opened.project.servantOf,
		stageFor: order.opened.stageFor,
		journal,
		lock,
		self: ownIdentity(),
		halt,
		purse: order.purse,
		starter: order.starter,
		redact: redactor.value,
		workspace: place,
		tree: guardTree({ workspace: place, manifest, names }),
		lineage: await order.lineage(),
		reviewed: order.reviewed(),
		env: order.env,
		now: order.now,
		random: order.random,
		tell: order.listen,
		firstAttempt: (stage) => (place.facts.mode === 'worktree' ? 1 : (attemptsBefore.get(stage) ?? 0) + 1),
		settle,
		barrier,
		options: optionsOf(order),
	};
	changed = changedInputs(ctx);
	if (isComplete(plan, journal.state) && rerun.length === 0 && journal.state.finished?.status === 'completed') {
		status = 'completed';
		if (previous === null) writeJson(names.plan, plan);
		settle.now();
		return { kind: 'finished', status, exitCode: ExitCode.completed, changedInputs: changed };
	}
	begin();
	for (const stage of stages) ensureDir(names.attemptsOf(stage));
	try {
		ctx.tree.lookAhead();
		// With the directories it lies in, which may be as new as the journal, and those that attempts will be made in.
		const begun = barrier.reach([names.plan, names.workspace, names.state, names.attempts, names.outputs, names.dir]);
		if (rerun.length > 0) await begun;
		for (const stage of rerun) remove(names.marker(stage));
		const walked = await walkPlan(ctx, (error) => (diskTroubleIn(error)?.isEverywhere ? order.halt.leaveRunning() : halt.leaveAlone()));
		// What still runs is adopted by the next run: until then nobody follows it, and that is what is told.
		const left = order.halt.leave.aborted && walked !== 'done';
		const end = left ? ({ status: 'interrupted', exitCode: ExitCode.interrupted } as const) : endOf(ctx, walked);
		const uncommitted = end.status === 'completed' ? await uncommittedWord(ctx) : null;
		status = end.status;
		journal.append({
			time: timeNow(),
			task_id: names.id,
			type: 'run_finished',
			status,
			exit_code: end.exitCode,
			next_action: end.nextAction ?? uncommitted ?? order.nextAction(standing()),
		});
		barrier.owe([]);
		await barrier.reach([]);
		await barrier.rest();
		// What nobody waited for, and the names that have been taken since.
		await sync([names.stats, names.state, names.outputs, names.done]);
		return left ? { kind: 'left' } : { kind: 'finished', status, exitCode: end.exitCode };
	} finally {
		barrier.drop();
	}
}

const isComplete = (plan: Plan, state: PacketState): boolean =>
	plan.stages.every((stage) => stageOf(state, stage.name).status === 'passed');

function optionsOf(order: RunOrder): RunContext['options'] {
	const { progress_interval_sec = 10, max_wait_sec = 600 } = order.opened.project.config.merged.dispatch;
	return {
		wait: order.wait,
		resume: order.resume,
		progressIntervalSec: progress_interval_sec,
		maxWaitSec: max_wait_sec,
		version: order.version,
	};
}

/** Our own bug: the stack goes into the packet, for the report. */
function keepStack(names: PacketNames, error: unknown): void {
	try {
		ensureDir(names.state);
		writeWhole(join(names.state, 'internal-error.log'), `${error instanceof Error ? error.stack : String(error)}\n`, 0o600);
	} catch {
		// The stack is printed anyway.
	}
}
