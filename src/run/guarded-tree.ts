import type { TreeChange } from '../contract/evidence.ts';
import { type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { changesBetween } from '../gate/compare.ts';
import { deniedBy } from '../gate/scope.ts';
import { committedBetween } from '../worktree/committed.ts';
import { glance, takeSnapshot } from '../worktree/snapshot.ts';
import type { RunContext } from './run-context.ts';

/** The look at a tree that ended one stage also begins the next, if that follows at once. */
const lastLook = new WeakMap<RunContext, { readonly at: number; readonly tree: TreeSnapshot }>();
const stillFreshMs = 25;

/** A first look, while the disk works: if nobody touches the tree until the servant starts, git need not look again. */
export function lookAhead(ctx: RunContext): void {
	if (ctx.workspace.git) glance(ctx.workspace.dir);
}

/** The work tree as a servant that starts now will find it. */
export async function treeAtStart(ctx: RunContext, access: 'read' | 'write'): Promise<Outcome<TreeSnapshot | null, string>> {
	const last = lastLook.get(ctx);
	const fits = last !== undefined && performance.now() - last.at < stillFreshMs && (access === 'read' || last.tree.tree !== null);
	return fits ? pass(last.tree) : guardedTree(ctx, access);
}

/** The work tree as it is now, and beside it what a servant must not touch: the packet's own manifest. */
function guardedTree(ctx: RunContext, access: 'read' | 'write'): Promise<Outcome<TreeSnapshot | null, string>> {
	if (!ctx.workspace.git) return Promise.resolve(pass(null));
	const deny = ctx.manifest.scope?.deny ?? [];
	return takeSnapshot({
		dir: ctx.workspace.dir,
		denied: deny.length === 0 ? null : deniedBy(deny),
		guard: [ctx.names.manifest],
		scratch: access === 'write' ? ctx.names.state : null,
	});
}

export interface TreeNow {
	readonly after: TreeSnapshot | null;
	/** null: there is nothing to compare with. */
	readonly changes: readonly TreeChange[] | null;
}

/** What became of the work tree since the servant began. */
export async function treeSince(ctx: RunContext, before: TreeSnapshot | null, access: 'read' | 'write'): Promise<Outcome<TreeNow, string>> {
	if (before === null) return pass({ after: null, changes: null });
	const at = performance.now();
	const after = await guardedTree(ctx, access);
	if (!after.ok) return after;
	if (after.value === null) return pass({ after: null, changes: null });
	lastLook.set(ctx, { at, tree: after.value });
	const committed = await committedBetween({ dir: ctx.workspace.dir, before, after: after.value });
	if (!committed.ok) return committed;
	return pass({ after: after.value, changes: changesBetween(before, after.value, committed.value) });
}
