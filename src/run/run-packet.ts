import { join } from 'node:path';
import type { DispatchEvent } from '../contract/event.ts';
import { ExitCode, gravest } from '../contract/exit-code.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { Plan, PlannedStage } from '../contract/plan.ts';
import { loadHash } from '../contract/sha256.ts';
import type { Workspace } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import { type PacketState, stageOf } from '../journal/packet-state.ts';
import { type DiskTrouble, diskTroubleIn, ensureDir, remove, sync, writeJson, writeWhole } from '../packet/disk.ts';
import { removeDeadGuards } from '../packet/guards.ts';
import { Journal } from '../packet/journal-file.ts';
import { makeLayout, removeLeftovers } from '../packet/layout.ts';
import { acquireLock, type Lock, type Locked, LockLost } from '../packet/lock.ts';
import type { PacketNames } from '../packet/names.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { makeRedactor } from '../prompt/redact.ts';
import { exitCodeOf, statusOf } from '../triage/outcome-of.ts';
import { changedInputs } from './changed-inputs.ts';
import { continuedPlan } from './continued-plan.ts';
import { writeDerived } from './derive.ts';
import { settleDone } from './done-stages.ts';
import { lookAhead } from './guarded-tree.ts';
import type { HaltSwitch } from './halt.ts';
import type { OpenedPacket } from './open-packet.ts';
import { preflight } from './preflight.ts';
import type { Purse } from './purse.ts';
import type { LineageText, RunContext } from './run-context.ts';
import { makeSettle } from './settle.ts';
import { walkPlan } from './walk-plan.ts';

/** A run as it is ordered: what to run, how, and who listens. */
export interface RunOrder {
	readonly opened: OpenedPacket;
	/** Stages to run again on purpose: one and all that need it, or all. */
	readonly again: { readonly from: string } | 'all' | null;
	readonly resume: boolean;
	readonly wait: boolean;
	/** Several workers share a queue: not if another one ran this packet since it was opened. */
	readonly sole: boolean;
	readonly command: string;
	readonly version: string;
	readonly halt: HaltSwitch;
	readonly purse: Purse;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly now: () => Date;
	readonly random: () => number;
	/** Where the servants work; made if it must be. Called with the lock held. */
	readonly openWorkspace: (plan: Plan) => Promise<WorkPlace | NoPlace>;
	/** What the chain before this packet produced. */
	readonly lineage: () => Promise<readonly LineageText[]>;
	readonly listen: (event: DispatchEvent) => void;
	/** Writes the summary. */
	readonly settle: (standing: Standing) => void;
	/** `slug: sentence` for a state that is no stage's failure. */
	readonly nextAction: (standing: Standing) => string;
}

/** Why there is no place to work. `invalid` if the packet is to blame, else somebody must look at the machine. */
export interface NoPlace {
	readonly problem: string;
	readonly status: 'invalid' | 'needs_human' | 'interrupted';
}

export interface WorkPlace {
	readonly dir: string;
	readonly git: boolean;
	readonly facts: Workspace;
	readonly warnings: readonly string[];
}

/** All that a summary is made from. */
export interface Standing {
	readonly names: PacketNames;
	readonly manifest: Manifest;
	readonly plan: Plan;
	readonly state: PacketState;
	readonly status: PacketStatus;
	readonly warnings: readonly string[];
	readonly changedInputs: readonly string[];
	readonly workspace: Workspace | null;
	readonly redact: (text: string) => string;
	/** Why no stage could begin. */
	readonly problem: string | null;
}

export type RunEnd =
	| { readonly kind: 'finished'; readonly status: PacketStatus; readonly exitCode: number; readonly changedInputs?: readonly string[] }
	| { readonly kind: 'locked'; readonly locked: Locked }
	| ({ readonly kind: 'no_workspace'; readonly exitCode: number } & NoPlace)
	| { readonly kind: 'disk'; readonly trouble: DiskTrouble }
	| { readonly kind: 'lock_lost' }
	| { readonly kind: 'overtaken' }
	/** Told to leave: the wrappers live on. */
	| { readonly kind: 'left' }
	| { readonly kind: 'bug'; readonly error: unknown };

/** Runs a packet to its end, whatever that is. Foreseen ends are returned; only this place catches what others throw. */
export async function runPacket(order: RunOrder): Promise<RunEnd> {
	const { names } = order.opened;
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
		return await ownedRun(order, lock);
	} catch (error) {
		if (error instanceof LockLost) return { kind: 'lock_lost' };
		const trouble = diskTroubleIn(error);
		if (trouble !== null) return { kind: 'disk', trouble };
		keepStack(names, error);
		return { kind: 'bug', error };
	} finally {
		lock?.release();
	}
}

async function ownedRun(order: RunOrder, lock: Lock): Promise<RunEnd> {
	const { names, loaded } = order.opened;
	const { manifest } = loaded;
	makeLayout(names);
	removeLeftovers(names);
	const timeNow = () => order.now().toISOString();
	removeDeadGuards({ root: names.root, self: lock.held, command: order.command, now: timeNow, liveness: sameProcessAlive });
	const journal = new Journal(names.journal, lock.check, order.listen);
	if (order.sole && journal.state.runs !== order.opened.state.runs) return { kind: 'overtaken' };
	const { plan, warnings } = continuedPlan(names, order.opened.plan, journal.state);
	const { lost } = settleDone(names, plan, order.opened.project.roles.roles, journal, timeNow());
	const rerun = [...new Set([...lost, ...stagesAgain(plan, order.again)])];
	const redactor = makeRedactor(manifest.security?.redaction_patterns ?? []);
	if (!redactor.ok) throw new Error(`a pattern passed validation and does not compile: ${redactor.failures[0]}`);
	const place = await order.openWorkspace(plan);
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
			plan_stages: plan.stages.map((stage) => stage.name),
		});
	};
	if ('problem' in place) {
		begin();
		return endWithoutPlace(order, journal, { names, manifest, plan, warnings, redact: (text) => redactor.value(text).text }, place);
	}
	writeJson(names.workspace, place.facts);

	const attemptsBefore = new Map([...journal.state.stages].map(([name, { attempt }]) => [name, attempt]));
	const unsynced = new Set<string>();
	let changed: readonly string[] = [];
	const standing = (status: PacketStatus): Standing => ({
		names,
		manifest,
		plan,
		state: journal.state,
		status,
		warnings: [...warnings, ...place.warnings],
		changedInputs: changed,
		workspace: place.facts,
		redact: (text) => redactor.value(text).text,
		problem: null,
	});
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
		halt: order.halt,
		purse: order.purse,
		redact: redactor.value,
		workspace: place,
		lineage: await order.lineage(),
		env: order.env,
		now: order.now,
		random: order.random,
		tell: order.listen,
		firstAttempt: (stage) => (place.facts.mode === 'worktree' ? 1 : (attemptsBefore.get(stage) ?? 0) + 1),
		later: (dirs) => {
			for (const dir of dirs) unsynced.add(dir);
		},
		settle: makeSettle(() => {
			lock.check();
			writeDerived(
				names,
				journal.state,
				plan.stages.map((stage) => stage.name),
			);
			order.settle(standing('in_progress'));
		}),
		options: optionsOf(order),
	};
	changed = changedInputs(ctx);
	if (isComplete(plan, journal.state) && rerun.length === 0 && journal.state.finished?.status === 'completed') {
		writeDerived(
			names,
			journal.state,
			plan.stages.map((stage) => stage.name),
		);
		order.settle(standing('completed'));
		return { kind: 'finished', status: 'completed', exitCode: ExitCode.completed, changedInputs: changed };
	}
	begin();
	for (const stage of plan.stages) ensureDir(names.attemptsOf(stage.name));
	// With the directories it lies in, which may be as new as the journal, and those that attempts will be made in.
	const begun = sync([names.journal, names.plan, names.workspace, names.state, names.attempts, names.outputs, names.dir]);
	lookAhead(ctx);
	loadHash();
	await begun;
	for (const stage of rerun) remove(names.marker(stage));
	const ready = await preflight(ctx);
	const walked = ready ? await walkPlan(ctx, () => order.halt.leaveRunning()) : 'failed';
	if (order.halt.leave.aborted) return { kind: 'left' };
	const end = await finish(ctx, order, standing, walked);
	await sync([...new Set([...unsynced, names.journal, names.stats, names.summary, names.state, names.outputs])]);
	return end;
}

const exitWithoutPlace = {
	invalid: ExitCode.invalid,
	needs_human: ExitCode.needsHuman,
	interrupted: ExitCode.interrupted,
} as const;

/** The run owned the packet, so it says how it ended, although no stage began. */
async function endWithoutPlace(
	order: RunOrder,
	journal: Journal,
	known: Pick<Standing, 'names' | 'manifest' | 'plan' | 'warnings' | 'redact'>,
	place: NoPlace,
): Promise<RunEnd> {
	const { names, plan } = known;
	const { status } = place;
	const exitCode = exitWithoutPlace[status];
	const again = `dispatch run ${names.id}`;
	journal.append({
		time: order.now().toISOString(),
		task_id: names.id,
		type: 'run_finished',
		status,
		exit_code: exitCode,
		next_action: status === 'interrupted' ? `run: ${again}` : `fix_workspace: mend what is named under Problems, then ${again}`,
	});
	writeDerived(
		names,
		journal.state,
		plan.stages.map((stage) => stage.name),
	);
	order.settle({ ...known, state: journal.state, status, changedInputs: [], workspace: null, problem: place.problem });
	await sync([names.journal, names.plan, names.stats, names.summary, names.state, names.outputs, names.dir]);
	return { kind: 'no_workspace', exitCode, ...place };
}

async function finish(
	ctx: RunContext,
	order: RunOrder,
	standing: (status: PacketStatus) => Standing,
	walked: 'done' | 'failed' | 'halted',
): Promise<RunEnd> {
	const { journal, names, plan } = ctx;
	const { status, exitCode } = endOf(ctx, walked);
	journal.append({
		time: order.now().toISOString(),
		task_id: names.id,
		type: 'run_finished',
		status,
		exit_code: exitCode,
		next_action: order.nextAction(standing(status)),
	});
	writeDerived(
		names,
		journal.state,
		plan.stages.map((stage) => stage.name),
	);
	order.settle(standing(status));
	return { kind: 'finished', status, exitCode };
}

function endOf(ctx: RunContext, walked: 'done' | 'failed' | 'halted'): { status: PacketStatus; exitCode: number } {
	if (walked === 'done') return { status: 'completed', exitCode: ExitCode.completed };
	const failed = ctx.plan.stages
		.map((stage) => stageOf(ctx.journal.state, stage.name))
		.filter((stage) => stage.status === 'failed' && stage.failure !== null);
	const interrupted = ctx.halt.gently.aborted;
	const codes = [...failed.map((stage) => exitCodeOf(stage.failure!.class)), ...(interrupted ? [ExitCode.interrupted] : [])];
	if (codes.length === 0) return { status: 'interrupted', exitCode: ctx.purse.empty() === null ? ExitCode.interrupted : ExitCode.budget };
	const exitCode = gravest(codes);
	const speaking = failed.find((stage) => exitCodeOf(stage.failure!.class) === exitCode);
	return { status: interrupted ? 'interrupted' : speaking ? statusOf(speaking.failure!.class) : 'failed', exitCode };
}

function stagesAgain(plan: Plan, again: RunOrder['again']): string[] {
	if (again === null) return [];
	if (again === 'all') return plan.stages.map((stage) => stage.name);
	const chosen = new Set([again.from]);
	const needsOne = (stage: PlannedStage) => stage.needs.some((need) => chosen.has(need));
	for (let before = 0; before !== chosen.size; ) {
		before = chosen.size;
		for (const stage of plan.stages) if (needsOne(stage)) chosen.add(stage.name);
	}
	return plan.stages.map((stage) => stage.name).filter((name) => chosen.has(name));
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
