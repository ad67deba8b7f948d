import { existsSync } from 'node:fs';
import type { Manifest } from '../contract/manifest.ts';
import type { Plan } from '../contract/plan.ts';
import { Workspace } from '../contract/state-files.ts';
import { packetNames } from '../packet/names.ts';
import { readJson } from '../packet/read.ts';
import type { Halt } from '../run/halt.ts';
import type { NoPlace, WorkPlace } from '../run/run-order.ts';
import { gitMissing, gitProgram, gitText } from '../worktree/git.ts';
import { repositoryOf } from '../worktree/repository.ts';
import { branchOf, createWorktree, firstCommit, noCommit, worktreePath } from '../worktree/worktree.ts';
import { forgetReady, isSetUp, setUp } from './set-up.ts';
import { worktreeOwner } from './worktree-owner.ts';
import { notInTheWorktree } from './worktree-start.ts';

export interface WorkspaceAsk {
	readonly root: string;
	readonly id: string;
	readonly manifest: Manifest;
	readonly plan: Plan;
	/** Commands that prepare a new worktree. */
	readonly setup: readonly string[];
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly halt: Halt;
	/** Told each of those commands before it runs. */
	readonly tell?: (command: string) => void;
}

type Place = WorkPlace | NoPlace;

/** Where the servants of a packet work, made if it must be. The user's checkout is never touched by making it. */
export async function openWorkspace(ask: WorkspaceAsk): Promise<Place> {
	const { root, id, manifest, plan } = ask;
	const writes = plan.stages.some((stage) => stage.access === 'write');
	if (repositoryOf(root) === null) return outsideGit(root, writes);
	if (gitProgram() === null) return { problem: gitMissing, status: 'needs_human', fix: 'install git or put it on PATH' };
	const recorded = readJson(packetNames(root, id).workspace, Workspace);
	const owner = worktreeOwner({ root, id, manifest, mode: plan.workspace, recorded });
	if (owner === null) return inCheckout(root, []);
	if ('inCheckout' in owner)
		return inCheckout(root, [`${owner.inCheckout} worked in the checkout, and so does this packet, which improves it`]);
	if ('problem' in owner) return { ...owner, status: 'invalid', fix: null };
	const branch = branchOf(owner.id);
	const gone = owner.id !== id && !(await gitText(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok;
	if (gone && !writes) return inCheckout(root, [`the branch ${branch} is gone; this packet looks at the checkout as it is`]);
	const fresh = !existsSync(`${root}/${worktreePath(owner.id)}`);
	if (fresh) forgetReady(root, owner.id);
	const made = await createWorktree({ root, id: owner.id, branch });
	if (!made.ok)
		return { problem: made.failures[0], status: 'needs_human', fix: made.failures[0] === noCommit ? `run ${firstCommit}` : null };
	const { workspace, created, warnings } = made.value;
	// A run that died while it prepared the worktree left it half prepared.
	if (created || !isSetUp(root, owner.id)) {
		const unready = await setUp({ ...ask, owner: owner.id, dir: workspace });
		if (unready !== null) {
			const { problem, command } = unready;
			const status = ask.halt.gently.aborted || ask.halt.leave.aborted ? 'interrupted' : 'needs_human';
			return { problem, status, fix: `make worktree_setup succeed in ${worktreePath(owner.id)}: ${command}` };
		}
	}
	const left = created ? await notInTheWorktree(root) : [];
	return {
		dir: workspace,
		git: true,
		// What the branch started from is what was written down first: once it is merged, git can no longer tell.
		facts: {
			schema: 1,
			mode: 'worktree',
			branch,
			base: gone ? made.value.base : (owner.base ?? made.value.base),
			path: worktreePath(owner.id),
		},
		warnings: [...warnings, ...(gone ? [`the branch ${branch} was gone; it begins anew where the checkout stands`] : []), ...left],
	};
}

/**
 * Where a packet worked, as the next run would write it down, without making anything. Where its manifest or its plan cannot be known, its
 * own branch is looked for. Null if nobody can tell.
 */
export async function findWorkspace(ask: {
	readonly root: string;
	readonly id: string;
	readonly manifest: Manifest | null;
	readonly plan: Plan | null;
}): Promise<Workspace | null> {
	const { root, id, manifest, plan } = ask;
	if (repositoryOf(root) === null) return inCheckout(root, []).facts;
	const isKnown = manifest !== null && plan !== null;
	const owner = isKnown ? worktreeOwner({ root, id, manifest, mode: plan.workspace, recorded: null }) : { id, base: null };
	if (owner === null || 'inCheckout' in owner) return inCheckout(root, []).facts;
	if ('problem' in owner) return null;
	const branch = branchOf(owner.id);
	const common = await gitText(root, ['merge-base', 'HEAD', `refs/heads/${branch}`]);
	if (!isKnown && !common.ok) return null;
	return { schema: 1, mode: 'worktree', branch, base: owner.base ?? (common.ok ? common.value : null), path: worktreePath(owner.id) };
}

const inCheckout = (root: string, warnings: readonly string[]): WorkPlace => ({
	dir: root,
	git: true,
	facts: { schema: 1, mode: 'inplace', branch: null, base: null, path: '.' },
	warnings,
});

function outsideGit(root: string, writes: boolean): Place {
	if (writes)
		return {
			problem: 'this is not a git repository, and the packet writes: run git init and make a first commit',
			status: 'invalid',
			fix: `run git init && ${firstCommit}`,
		};
	return { ...inCheckout(root, ['not in a git repository: whether a servant changed something cannot be seen']), git: false };
}
