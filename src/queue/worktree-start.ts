import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Workspace } from '../contract/state-files.ts';
import { readJson } from '../packet/read.ts';
import type { OpenedPacket } from '../run/open-packet.ts';
import { takeSnapshot } from '../worktree/snapshot.ts';
import { firstCommit, noCommit, worktreePath } from '../worktree/worktree.ts';
import { worktreeOwner } from './worktree-owner.ts';

/** Whether the packet's next run makes a worktree. */
export function beginsWorktree({ names, loaded, plan }: OpenedPacket): boolean {
	const { root, id, workspace } = names;
	const recorded = readJson(workspace, Workspace);
	const owner = worktreeOwner({ root, id, manifest: loaded.manifest, mode: plan.workspace, recorded });
	if (owner === null || !('id' in owner) || existsSync(join(root, worktreePath(owner.id)))) return false;
	// Who only looks at another's work finds it on its branch, and where that is merged and gone, in the checkout.
	return owner.id === id || plan.stages.some((stage) => stage.access === 'write');
}

const mostNamed = 3;

/** A worktree begins at a commit: what a checkout holds beyond its own is not in it. */
export async function notInTheWorktree(root: string): Promise<string[]> {
	const seen = await takeSnapshot({ dir: root, denied: null, guard: [], scratch: null });
	if (!seen.ok) return [seen.failures[0]];
	if (seen.value === null) return [];
	const { head, entries } = seen.value;
	if (head === null) return [`${noCommit}: run ${firstCommit}`];
	if (entries.length === 0) return [];
	const named = entries.slice(0, mostNamed).map((entry) => entry.path);
	const more = entries.length > mostNamed ? ` and ${entries.length - mostNamed} more` : '';
	return [`uncommitted changes are not in a new worktree, which begins at the last commit: ${named.join(', ')}${more}`];
}
