import { existsSync } from 'node:fs';
import type { Complaint } from '../contract/complaint.ts';
import { ExitCode, gravest } from '../contract/exit-code.ts';
import { never } from '../contract/outcome.ts';
import type { Plan, PlanFlags } from '../contract/plan.ts';
import type { PacketStatus } from '../contract/words.ts';
import { diskTroubleIn } from '../packet/disk.ts';
import { packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { withDependents } from '../plan/dependents.ts';
import { Starter } from '../process/starter.ts';
import { reviewPacketFor } from '../queue/auto-review.ts';
import { blockersOf, chainComplaints, inOrder } from '../queue/chain.ts';
import { lineageOf } from '../queue/lineage.ts';
import { indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import { reviewWord } from '../queue/review-word.ts';
import { askedOfReviewed } from '../queue/under-review.ts';
import { openWorkspace } from '../queue/workspace.ts';
import { renderComplaints } from '../report/complaints.ts';
import { visible } from '../report/visible.ts';
import { continuedPlan } from '../run/continued-plan.ts';
import { HaltSwitch } from '../run/halt.ts';
import { type OpenAsk, type OpenedPacket, openPacket, type Refusal } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import { bottomless, type Purse } from '../run/purse.ts';
import type { RunEnd, RunOrder, Standing } from '../run/run-order.ts';
import { runPacket } from '../run/run-packet.ts';
import { glance } from '../worktree/snapshot.ts';
import { oneLine } from './checked-packet.ts';
import { type Call, UsageError } from './command.ts';
import { lockedText } from './locked-text.ts';
import { refuseOutsideGit } from './outside-git.ts';
import { projectToRun } from './project-of.ts';
import { type Listener, makeListener } from './run-console.ts';
import { stageCalled } from './stage-called.ts';
import { nextActionOf, summaryText, writeInvalidSummary } from './summary-file.ts';
import { tellParent } from './tell-parent.ts';

export interface RunSettings {
	readonly flags: PlanFlags;
	readonly listener: Listener;
	readonly halt: HaltSwitch;
	readonly purse: Purse;
	readonly starter: Starter;
	readonly wait: boolean;
	readonly resume: boolean;
	/** Leave the packet alone if another worker was faster. */
	readonly sole?: boolean;
	readonly again: RunOrder['again'];
	/** Told each plan before it is run. */
	readonly planned?: (plan: Plan) => void;
	/** How the packet that this review is about stood when we ran it. */
	readonly parent?: Standing | null;
}

export interface RanPacket {
	readonly exitCode: number;
	readonly status: PacketStatus | null;
}

/** Runs packets in dependency order, each to its end; a later one does not suffer from an earlier one it does not depend on. */
export async function runIds(call: Call, ids: readonly string[], settings: Partial<RunSettings>): Promise<number> {
	lookAhead(call.root, ids);
	const project = await projectToRun(call, ids);
	if (typeof project === 'number') return project;
	const listener = makeListener(call, project, ids.length > 1);
	const halt = new HaltSwitch();
	const starter = starterFor(call);
	const release = onSignals(halt);
	try {
		const codes: number[] = [];
		for (const id of ids.length > 1 ? inOrder(ids, entriesById(call.root)) : ids) {
			if (isHalted(halt)) {
				codes.push(ExitCode.interrupted);
				break;
			}
			codes.push(
				(
					await runOne(call, project, id, {
						flags: {},
						wait: false,
						resume: false,
						again: null,
						...settings,
						listener,
						halt,
						purse: bottomless,
						starter,
					})
				).exitCode,
			);
		}
		return gravest(codes);
	} finally {
		await starter.end();
		listener.finish();
		release();
	}
}

/** A packet that never ran will need to know what git says of the tree; it can look while we read the configuration. */
function lookAhead(root: string, [first = '', ...others]: readonly string[]): void {
	if (others.length === 0 && !existsSync(packetNames(root, first).journal)) glance(root);
}

const entriesById = (root: string): Map<string, PacketEntry> => new Map(indexPackets(root).map((entry) => [entry.id, entry]));

/** By its home one sees whose it is. */
export const starterFor = ({ env: { HOME } }: Call): Starter => new Starter(HOME === undefined ? {} : { HOME });

/** Ctrl-C and SIGTERM: gently, then at once. Hang-up: we go, the servants stay and are adopted by the next run. */
export function onSignals(halt: HaltSwitch): () => void {
	const stop = () => halt.stop();
	const leave = () => halt.leaveRunning();
	process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', leave);
	return () => process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', leave);
}

/** Runs one packet: validates it, looks whether its dependencies are done, runs it, and its review if it asks for one. */
export async function runOne(call: Call, project: Project, id: string, settings: RunSettings): Promise<RanPacket> {
	try {
		return await openAndRun(call, project, id, settings);
	} catch (error) {
		const trouble = diskTroubleIn(error);
		if (trouble === null) throw error;
		return told({ kind: 'disk', trouble }, id, settings.listener, call.version);
	}
}

async function openAndRun(call: Call, project: Project, id: string, settings: RunSettings): Promise<RanPacket> {
	const entries = needsChain(project.root, id) ? indexPackets(project.root) : [];
	const ask: OpenAsk = {
		project,
		id,
		flags: settings.flags,
		fresh: settings.again === 'all',
		env: call.env,
		checkChain: (loaded) => chainComplaints(entries, loaded, id),
	};
	const opened = refuseOutsideGit(openPacket(ask));
	if (!opened.ok) return refuse(ask, opened.failures, settings.listener);
	const again = stagesAgain(settings.again, opened.value);
	const blockers = blockersOf(entries, id);
	if (blockers.length > 0) {
		settings.listener.error(`${id} is blocked by ${blockers.map((blocker) => `${blocker.id} (${blocker.status})`).join(', ')}`);
		return { exitCode: ExitCode.blocked, status: 'pending' };
	}
	for (const warning of [...project.config.warnings.map(oneLine), ...opened.value.plan.warnings])
		settings.listener.note(`warning: ${warning}`);
	settings.planned?.(opened.value.plan);
	let events = 0;
	const listener: Listener = {
		...settings.listener,
		event: (event) => {
			events += 1;
			settings.listener.event(event);
		},
	};
	let last: Standing | null = null;
	const summary = (standing: Standing) => {
		last = standing;
		return summaryOf(standing);
	};
	const end = await runPacket(orderFor(call, project, opened.value, { ...settings, again, listener }, summary));
	const ran = told(end, id, listener, call.version);
	if (ran.status === 'completed' && events === 0) listener.note(completedAlready(id, end, opened.value.plan));
	const wantsReview = ran.status === 'completed' && opened.value.loaded.manifest.create_review === true;
	if (wantsReview && !isHalted(settings.halt)) await reviewAfter(call, project, id, settings, last);
	if (ran.status !== null && opened.value.loaded.manifest.based_on !== undefined) {
		const heard = tellParent(project.root, id, settings.parent ?? null);
		if (heard !== null) listener.note(`${heard.parent}: ${heard.line}`);
	}
	return wantsReview && isHalted(settings.halt) ? { ...ran, exitCode: ExitCode.interrupted } : ran;
}

const isHalted = ({ gently, leave }: HaltSwitch): boolean => gently.aborted || leave.aborted;

function completedAlready(id: string, end: RunEnd, plan: Plan): string {
	const changed = end.kind === 'finished' ? (end.changedInputs ?? []) : [];
	const [first] = changed;
	const reached = first === undefined ? [] : withDependents(plan, [first]);
	const again =
		first !== undefined && changed.every((stage) => reached.includes(stage))
			? `dispatch run ${id} --from ${first} runs it again from there`
			: `dispatch run ${id} --fresh runs it again`;
	return [`${id} is completed already; ${again}`, ...changed.map((stage) => `warning: inputs changed since ${stage} ran`)].join('\n');
}

function stagesAgain(again: RunOrder['again'], { names, plan, state }: OpenedPacket): RunOrder['again'] {
	if (again === null || again === 'all') return again;
	const { stages } = continuedPlan(names, plan, state).plan;
	const from = stageCalled(stages, again.from);
	if (from === null)
		throw new UsageError(`there is no stage "${again.from}"; the stages are ${stages.map((stage) => stage.name).join(', ')}`);
	return { from };
}

/** Most packets stand alone; only those with dependencies need to know of the others. */
function needsChain(root: string, id: string): boolean {
	return /depends_on|based_on/.test(readText(packetNames(root, id).manifest, 4 * 1024 * 1024) ?? '');
}

/** A packet that asks for a review tells what came of it. */
function summaryOf(standing: Standing): string {
	const { names, manifest, status } = standing;
	const reviewed = status === 'completed' && manifest.create_review === true;
	return summaryText(standing, new Date(), reviewed ? reviewWord(names.root, names.id) : null);
}

function orderFor(
	call: Call,
	project: Project,
	opened: OpenedPacket,
	settings: RunSettings,
	summary: (standing: Standing) => string,
): RunOrder {
	const { manifest } = opened.loaded;
	const root = project.root;
	return {
		opened,
		again: settings.again,
		resume: settings.resume,
		wait: settings.wait,
		sole: settings.sole ?? false,
		command: ['dispatch', ...process.argv.slice(2)].join(' ').slice(0, 200),
		version: call.version,
		halt: settings.halt,
		purse: settings.purse,
		starter: settings.starter,
		env: call.env,
		now: () => new Date(),
		random: Math.random,
		openWorkspace: async (plan) => {
			const place = await openWorkspace({
				root,
				id: opened.names.id,
				manifest,
				plan,
				setup: project.config.merged.dispatch.worktree_setup ?? [],
				env: call.env,
				halt: settings.halt,
			});
			if (!('problem' in place)) for (const warning of place.warnings) settings.listener.note(`warning: ${warning}`);
			return place;
		},
		lineage: () => lineageOf(root, opened.names.id),
		reviewed: () => askedOfReviewed(root, opened.names.id),
		listen: settings.listener.event,
		summary,
		nextAction: nextActionOf,
	};
}

function refuse(ask: OpenAsk, refusals: readonly Refusal[], listener: Listener): RanPacket {
	const problems = refusals.map((refusal) => refusal.complaint);
	listener.error(renderComplaints(problems).trimEnd());
	const faults = faultsOfPacket(ask, problems);
	if (faults.length > 0) writeInvalidSummary(packetNames(ask.project.root, ask.id), faults, new Date());
	const exitCode = refusals.some((refusal) => refusal.exit === ExitCode.invalid) ? ExitCode.invalid : ExitCode.usage;
	return { exitCode, status: faults.length > 0 ? 'invalid' : null };
}

/** A wrong flag or variable says nothing about the packet, nor does what only follows from one: its faults are there without them. */
function faultsOfPacket(ask: OpenAsk, problems: readonly Complaint[]): Complaint[] {
	const bare = refuseOutsideGit(openPacket({ ...ask, flags: {}, fresh: true, env: {} }));
	const faults = new Set(bare.ok ? [] : bare.failures.map((refusal) => JSON.stringify(refusal.complaint)));
	return problems.filter((problem) => faults.has(JSON.stringify(problem)));
}

function told(end: RunEnd, id: string, listener: Listener, version: string): RanPacket {
	switch (end.kind) {
		case 'finished':
			return { exitCode: end.exitCode, status: end.status };
		case 'locked':
			listener.error(lockedText(id, end.locked));
			return { exitCode: ExitCode.locked, status: null };
		case 'no_workspace':
			listener.error(`${id}: ${visible(end.problem)}`);
			return { exitCode: end.exitCode, status: end.status };
		case 'disk':
			listener.error(`${id}: ${visible(end.trouble.message)}; nothing is lost: when that is mended, dispatch run ${id} continues`);
			return { exitCode: ExitCode.needsHuman, status: null };
		case 'lock_lost':
			listener.error(`${id}: another run has taken over this packet; this one ends without touching it`);
			return { exitCode: ExitCode.locked, status: null };
		case 'overtaken':
			return { exitCode: ExitCode.locked, status: null };
		case 'left':
			return { exitCode: ExitCode.interrupted, status: null };
		case 'bug':
			listener.error(
				`${id}: internal error; please report it with .tmp/task/${id}/state/internal-error.log and the output of dispatch --version (${version}): ${visible(String(end.error))}`,
			);
			return { exitCode: ExitCode.bug, status: null };
		default:
			return never(end);
	}
}

/** A review that fails does not fail its parent. */
async function reviewAfter(call: Call, project: Project, parent: string, settings: RunSettings, standing: Standing | null): Promise<void> {
	const made = await reviewPacketFor(project.root, parent);
	if (made === null) return;
	settings.listener.note(`reviewing ${parent} in ${made}`);
	await runOne(call, project, made, { ...settings, flags: {}, resume: false, again: null, parent: standing });
}
