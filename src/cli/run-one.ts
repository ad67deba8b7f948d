import { ExitCode } from '../contract/exit-code.ts';
import type { Plan } from '../contract/plan.ts';
import { diskTroubleIn } from '../packet/disk.ts';
import { packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { withDependents } from '../plan/dependents.ts';
import { reviewPacketFor } from '../queue/auto-review.ts';
import { blockersText, unblocking } from '../queue/blocked-word.ts';
import { blockersOf, chainComplaints } from '../queue/chain.ts';
import { indexPackets } from '../queue/packet-index.ts';
import { continuedPlan } from '../run/continued-plan.ts';
import { isHalted } from '../run/halt.ts';
import { type OpenAsk, type OpenedPacket, openPacket } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import type { RunEnd, RunOrder, Standing } from '../run/run-order.ts';
import { runPacket } from '../run/run-packet.ts';
import { oneLine } from './checked-packet.ts';
import { type Call, UsageError } from './command.ts';
import { refuseOutsideGit } from './outside-git.ts';
import { refuseRun } from './refuse-run.ts';
import type { Listener } from './run-console.ts';
import { type RanPacket, tellEnd } from './run-end.ts';
import { orderFor, summaryOf } from './run-order-for.ts';
import type { RunSettings } from './run-settings.ts';
import { stageCalled } from './stage-called.ts';
import { tellParent } from './tell-parent.ts';

/** Runs one packet: validates it, looks whether its dependencies are done, runs it, and its review if it asks for one. */
export async function runOne(call: Call, project: Project, id: string, settings: RunSettings): Promise<RanPacket> {
	try {
		return await openAndRun(call, project, id, settings);
	} catch (error) {
		const trouble = diskTroubleIn(error);
		if (trouble === null) throw error;
		return tellEnd({ kind: 'disk', trouble }, id, settings.listener, call.version);
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
	if (!opened.ok) return refuseRun(ask, opened.failures, settings.listener);
	const again = stagesAgain(settings.again, opened.value);
	const blockers = blockersOf(entries, id);
	if (blockers.length > 0) {
		settings.listener.error(`${id} is blocked by ${blockersText(blockers)}; ${unblocking(entries, id)}`);
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
	const ran = tellEnd(end, id, listener, call.version);
	if (ran.status === 'completed' && events === 0) listener.note(completedAlready(id, end, opened.value.plan));
	const wantsReview = ran.status === 'completed' && opened.value.loaded.manifest.create_review === true;
	if (wantsReview) await reviewAfter(call, project, id, settings, last);
	if (ran.status !== null && opened.value.loaded.manifest.based_on !== undefined) {
		const heard = tellParent(project.root, id, settings.parent ?? null);
		if (heard !== null) listener.note(`${heard.parent}: ${heard.line}`);
	}
	return wantsReview && isHalted(settings.halt) ? { ...ran, exitCode: ExitCode.interrupted } : ran;
}

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

/** A review that fails does not fail its parent. Who is told to stop makes its packet all the same: of a completed one the queue asks no more. */
async function reviewAfter(call: Call, project: Project, parent: string, settings: RunSettings, standing: Standing | null): Promise<void> {
	const made = await reviewPacketFor(project.root, parent);
	if (made === null) return;
	if (isHalted(settings.halt)) return settings.listener.note(`${made} waits: dispatch run ${made}`);
	settings.listener.note(`reviewing ${parent} in ${made}`);
	await runOne(call, project, made, { ...settings, flags: {}, resume: false, again: null, parent: standing });
}
