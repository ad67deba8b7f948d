import type { DispatchEvent, EventOf } from '../contract/event.ts';
import { never } from '../contract/outcome.ts';
import { type PacketState, type StageState, stageOf, untouched } from './packet-state.ts';

/** Where a packet stands after these events. */
export function foldJournal(events: Iterable<DispatchEvent>, from: PacketState = untouched): PacketState {
	let state = from;
	for (const event of events) state = foldEvent(state, event);
	return state;
}

export function foldEvent(state: PacketState, event: DispatchEvent): PacketState {
	return { ...step(state, event), updated: event.time };
}

function step(state: PacketState, event: DispatchEvent): PacketState {
	switch (event.type) {
		case 'run_started':
			return runStarted(state, event);
		case 'stage_reserved':
			return stageReserved(state, event);
		case 'stage_started':
			return withStage(state, event.stage, {
				status: 'running',
				tool: event.provider,
				attempt: event.attempt,
				startedAt: event.time,
				activity: null,
			});
		case 'stage_progress':
			return withStage(state, event.stage, {
				steps: event.steps,
				costUsd: event.cost_usd,
				overtime: event.overtime,
				activity: event.activity,
				...(event.activity === null
					? {}
					: { status: 'running' as const, tool: event.provider, startedAt: stageOf(state, event.stage).startedAt ?? event.time }),
			});
		case 'stage_waiting':
			return withStage(state, event.stage, { status: 'waiting', waitingUntil: event.until });
		case 'stage_fallback':
			return withStage(state, event.stage, {
				status: 'waiting',
				tool: event.provider,
				fellBackTo: [...stageOf(state, event.stage).fellBackTo, event.provider],
			});
		case 'stage_collected':
			return stageCollected(state, event);
		case 'stage_finished':
			return stageFinished(state, event);
		case 'run_finished':
			return { ...state, running: false, finished: { status: event.status, exit_code: event.exit_code, next_action: event.next_action } };
		default:
			return never(event);
	}
}

/** Failed stages are tried again with fresh counters; stages run again on purpose forget what they had. */
function runStarted(state: PacketState, event: EventOf<'run_started'>): PacketState {
	const stages = new Map(state.stages);
	for (const name of event.plan_stages) if (!stages.has(name)) stages.set(name, stageOf(state, name));
	for (const [name, stage] of stages) {
		const again = event.rerun.includes(name) || stage.status !== 'passed';
		if (again && stage.open === null) stages.set(name, { ...stage, ...anew, failure: event.rerun.includes(name) ? null : stage.failure });
		else stages.set(name, { ...stage, fellBackTo: [] });
	}
	return {
		...state,
		runs: state.runs + 1,
		running: true,
		finished: null,
		flags: event.flags,
		stages,
		failuresThisRun: {},
		fixRoundsThisRun: 0,
	};
}

const anew = {
	verdict: null,
	findings: null,
	status: 'pending',
	waitingUntil: null,
	startedAt: null,
	activity: null,
	overtime: false,
	fellBackTo: [],
} as const;

function stageReserved(state: PacketState, event: EventOf<'stage_reserved'>): PacketState {
	const used = state.calls.used + (event.paid ? 1 : 0);
	return withStage({ ...state, calls: { ...state.calls, used } }, event.stage, {
		status: 'running',
		tool: event.provider,
		attempt: event.attempt,
		open: event,
		settled: false,
		stale: false,
		startedAt: event.time,
		waitingUntil: null,
		steps: null,
		costUsd: null,
		overtime: false,
		activity: null,
	});
}

function stageCollected(state: PacketState, event: EventOf<'stage_collected'>): PacketState {
	const stage = stageOf(state, event.stage);
	if (stage.open === null || stage.open.attempt !== event.attempt) return state;
	const paid = stage.open.paid && !stage.settled ? 1 : 0;
	if (event.call === 'returned') {
		const calls = { ...state.calls, used: state.calls.used - paid };
		return withStage({ ...state, calls }, event.stage, { ...closed, status: 'pending', startedAt: null });
	}
	const inDoubt = state.calls.inDoubt + (event.call === 'in_doubt' ? paid : 0);
	return withStage({ ...state, calls: { ...state.calls, inDoubt } }, event.stage, { settled: true });
}

function stageFinished(state: PacketState, event: EventOf<'stage_finished'>): PacketState {
	const stage = stageOf(state, event.stage);
	// Said before that one is over: it is still to be recovered.
	const isOther = stage.open !== null && stage.open.attempt !== event.attempt;
	const failed = event.status === 'failed' && event.class !== null && event.signature !== null;
	const counted = failed
		? { signatures: add(state.signatures, event.signature!), failuresThisRun: add(state.failuresThisRun, event.signature!) }
		: {};
	const next = withStage({ ...state, ...counted, metas: [...state.metas, event.meta] }, event.stage, {
		status: event.decision === 'stop' ? 'failed' : event.status === 'passed' && !stage.stale ? 'passed' : 'waiting',
		tool: event.provider,
		attempt: event.attempt,
		...(isOther ? {} : closed),
		activity: null,
		overtime: false,
		meta: event.meta,
		steps: event.meta.num_steps_computed ?? event.meta.num_steps_reported,
		costUsd: event.meta.cost_usd,
		verdict: stage.stale ? null : event.verdict,
		findings: stage.stale ? null : event.findings,
		inputs_sha256: event.inputs_sha256 ?? stage.inputs_sha256,
		handoff: event.handoff,
		failure: failed
			? {
					class: event.class!,
					signature: event.signature!,
					reason: event.reason ?? '',
					decision: event.decision ?? 'stop',
					next_action: event.next_action,
					time: event.time,
				}
			: null,
	});
	// What was wrong with the old work is no reason to send the new one back.
	if (event.decision !== 'fix' || stage.stale) return next;
	const again = event.run_again.reduce(sentBack, next);
	return { ...again, fixRoundsThisRun: again.fixRoundsThisRun + 1 };
}

/** An attempt that runs ends first. */
function sentBack(state: PacketState, name: string): PacketState {
	const change = stageOf(state, name).open === null ? ({ status: 'waiting', verdict: null, findings: null } as const) : { stale: true };
	return withStage(state, name, change);
}

const closed = { open: null, settled: false, stale: false } as const;

function withStage(state: PacketState, name: string, change: Partial<StageState>): PacketState {
	const stages = new Map(state.stages);
	stages.set(name, { ...stageOf(state, name), ...change });
	return { ...state, stages };
}

const add = (counts: Readonly<Record<string, number>>, key: string) => ({ ...counts, [key]: (counts[key] ?? 0) + 1 });
