import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../contract/manifest.ts';
import { Workspace } from '../contract/state-files.ts';
import { TaskId } from '../contract/words.ts';
import { readJson } from '../packet/read.ts';
import { worktreePath } from '../worktree/worktree.ts';
import { ancestorsOf, changeBefore } from './ancestors.ts';
import type { PacketEntry } from './packet-index.ts';

/** Whose worktree a packet works in: its own, or the one it continues or looks at. Null: the user's checkout. */
export type WorktreeOwner = { readonly id: string; readonly base: string | null } | null;

/** A packet that changed the user's checkout, so that this one goes on there. */
interface InCheckout {
	readonly inCheckout: string;
}

export function worktreeOwner(ask: {
	readonly root: string;
	readonly id: string;
	readonly manifest: Manifest;
	readonly mode: 'inplace' | 'worktree';
	/** What an earlier run of this packet wrote down. */
	readonly recorded: Workspace | null;
}): WorktreeOwner | InCheckout | { readonly problem: string } {
	const { root, id, manifest, mode, recorded } = ask;
	const { task_type: type } = manifest;
	const own = mode === 'worktree' ? { id, base: recorded?.path === worktreePath(id) ? recorded.base : null } : null;
	if (type === 'review' && manifest.workspace !== 'inplace')
		return changedCheckout(root, id) === null ? (continued(root, id) ?? own) : null;
	if (mode === 'inplace') return null;
	if (manifest.same_branch === true) {
		return continued(root, id) ?? { problem: 'same_branch: none of the packets it depends on has a branch to continue' };
	}
	if (type !== 'improve' || manifest.based_on === undefined) return own;
	const there = changedCheckout(root, id);
	if (there === null) return continued(root, id) ?? own;
	// Asked for by name, a worktree is no mistake: the change may be committed by now.
	return manifest.workspace === undefined ? there : own;
}

/** The nearest packet before this one that changed something, if it did so in the checkout. */
function changedCheckout(root: string, id: string): InCheckout | null {
	const changed = changeBefore(root, id);
	if (changed === null || readJson(changed.names.workspace, Workspace)?.mode !== 'inplace') return null;
	return { inCheckout: changed.entry.id };
}

/** The worktree a packet of the queue goes on writing in, going by its entry; null if it begins one of its own, or reads. */
export function continuedTree(root: string, { id, type, sameBranch, basedOn }: PacketEntry): string | null {
	if (!sameBranch && (type !== 'improve' || basedOn === null)) return null;
	return continued(root, id)?.id ?? null;
}

/** The worktree of the nearest packet before this one that worked in one. */
function continued(root: string, id: string): WorktreeOwner {
	for (const { names } of ancestorsOf(root, id)) {
		const facts = readJson(names.workspace, Workspace);
		// The file is derived and may be gone; what was made is still there.
		if (facts === null && existsSync(join(root, worktreePath(names.id)))) return { id: names.id, base: null };
		const owner = facts?.mode === 'worktree' ? facts.path.slice(dirname(worktreePath('x')).length + 1) : '';
		// Anybody can write into a packet; a path that is no worktree of ours is not followed.
		if (TaskId.safeParse(owner).success && facts?.path === worktreePath(owner)) return { id: owner, base: facts.base };
	}
	return null;
}
