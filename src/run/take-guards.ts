import type { PlannedStage } from '../contract/plan.ts';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { type Guard, type GuardRequest, takeSlot, takeTree } from '../packet/guards.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { pause } from '../process/pause.ts';
import { isHalted } from './halt.ts';
import { type RunContext, timeOf } from './run-context.ts';

type Access = PlannedStage['access'];

/** The work tree (alone for a writer in place, shared for readers) and, where it is limited, a place among the servant's calls; null: told to stop. */
export function takeGuards(ctx: RunContext, stage: PlannedStage, waits: () => void): Promise<Guard | null> {
	return waitFor(ctx, stage, { access: stage.access, slots: slotsOf(ctx, stage), waits });
}

/** Commands may write wherever they like: nobody reads the tree meanwhile, or he would be blamed for it. */
export function takeTreeAlone(ctx: RunContext, stage: PlannedStage): Promise<Guard | null> {
	return waitFor(ctx, stage, { access: 'write', slots: null, waits: () => undefined });
}

/** The places of a wrapper that an earlier run left. It works there whatever we find: somebody in the way is not waited for. */
export function adoptGuards(ctx: RunContext, stage: PlannedStage, adopted: ProcessIdentity): Guard {
	const request = { ...requestOf(ctx, stage), adopted };
	const most = slotsOf(ctx, stage);
	const tree = treeGuard(ctx, request, stage.access);
	const guard = together([tree, most === null ? null : takeSlot(request, stage.tool, most)]);
	guard.name(adopted);
	return guard;
}

/** Held while `call` runs, and longer if its wrapper goes on without us. */
export async function whileHeld<T>(guard: Guard, call: () => Promise<T>, goesOn: (result: T) => boolean): Promise<T> {
	let left = true;
	try {
		const result = await call();
		left = goesOn(result);
		return result;
	} finally {
		if (left) guard.leave();
		else guard.release();
	}
}

interface Wanted {
	readonly access: Access;
	readonly slots: number | null;
	/** Asked for each time that somebody is in the way. */
	readonly waits: () => void;
}

async function waitFor(ctx: RunContext, stage: PlannedStage, { access, slots, waits }: Wanted): Promise<Guard | null> {
	const request = requestOf(ctx, stage);
	let toldMs = ctx.now().getTime();
	for (let waitMs = 20; ; waitMs = Math.min(250, waitMs * 2)) {
		if (isHalted(ctx.halt)) return null;
		const tree = treeGuard(ctx, request, access);
		const slot = tree === 'taken' ? null : slots === null ? free : takeSlot(request, stage.tool, slots);
		if (tree !== 'taken' && slot !== null) return together([tree, slot]);
		if (tree !== 'taken') tree.release();
		waits();
		if (ctx.now().getTime() - toldMs > 1000) {
			toldMs = ctx.now().getTime();
			tellWaiting(ctx, stage, tree === 'taken' ? 'waiting for the work tree' : `waiting for a free ${stage.tool}`);
		}
		await pause(waitMs, ctx.halt.gently, ctx.halt.leave);
	}
}

/** Outside git nobody compares the tree, and all may work in it. */
const treeGuard = (ctx: RunContext, request: GuardRequest, access: Access): Guard | 'taken' =>
	ctx.workspace.git ? (takeTree(request, ctx.workspace.dir, access) ?? 'taken') : free;

const requestOf = (ctx: RunContext, stage: PlannedStage): GuardRequest => ({
	root: ctx.names.root,
	self: ctx.self,
	command: `${ctx.names.id} ${stage.name}`,
	now: () => timeOf(ctx),
	liveness: sameProcessAlive,
});

const slotsOf = (ctx: RunContext, { tool }: PlannedStage): number | null => ctx.servantOf(tool).file.max_concurrent ?? null;

const free: Guard = { name: () => undefined, release: () => undefined, leave: () => undefined };

function together(guards: readonly (Guard | 'taken' | null)[]): Guard {
	const held = guards.filter((guard): guard is Guard => guard !== null && guard !== 'taken' && guard !== free);
	return {
		name: (wrapper) => {
			for (const guard of held) guard.name(wrapper);
		},
		release: () => {
			for (const guard of held) guard.release();
		},
		leave: () => {
			for (const guard of held) guard.leave();
		},
	};
}

function tellWaiting(ctx: RunContext, stage: PlannedStage, activity: string): void {
	ctx.tell({
		time: timeOf(ctx),
		task_id: ctx.names.id,
		type: 'stage_progress',
		stage: stage.name,
		attempt: 0,
		provider: stage.tool,
		elapsed_sec: 0,
		steps: null,
		cost_usd: null,
		overtime: false,
		activity,
	});
}
