import { existsSync } from 'node:fs';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { git, gitText, records } from './git.ts';
import { plainDiff } from './patch.ts';
import { currentHead, repositoryOf } from './repository.ts';

/** What a branch adds to its base, to the last byte: without its final newline a patch does not apply. */
export async function branchDiff(order: { root: string; branch: string; base: string }): Promise<Outcome<string, string>> {
	const { root, branch, base } = order;
	const common = await gitText(root, ['merge-base', '--end-of-options', base, branch]);
	const diff = await git(root, [...plainDiff, '--end-of-options', common.ok ? common.value : base, branch, '--']);
	return diff.ok ? pass(diff.value.toString('utf8')) : diff;
}

export interface WorktreeState {
	readonly clean: boolean;
	readonly merged: boolean;
	/** What is in the way of removing it, as sentences; empty when clean and merged. */
	readonly inTheWay: readonly string[];
}

/** Whether nothing would be lost with the worktree: no uncommitted file, and every commit of it is in another branch. */
export async function isMergedAndClean(order: { root: string; path: string; branch: string }): Promise<Outcome<WorktreeState, string>> {
	const { root, path, branch } = order;
	const inTheWay: string[] = [];
	let clean = true;
	const tips = [`refs/heads/${branch}`];
	if (existsSync(path)) {
		const inner = repositoryOf(path);
		if (inner === null || inner.prefix !== '') return fail(`${path} is no worktree`);
		const status = await git(path, ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=none', '--no-renames']);
		if (!status.ok) return status;
		const dirty = records(status.value).length;
		clean = dirty === 0;
		if (!clean) inTheWay.push(`${path} has ${dirty} uncommitted file${dirty === 1 ? '' : 's'}; commit or remove them`);
		const head = await gitText(path, ['rev-parse', '--verify', '--quiet', 'HEAD']);
		if (head.ok) tips.push(head.value);
	}
	let merged = true;
	for (const tip of tips) {
		const held = await heldElsewhere(root, tip, branch);
		if (!held.ok) return held;
		merged &&= held.value;
	}
	if (!merged) inTheWay.push(`${branch} is not merged; run git merge ${branch}`);
	return pass({ clean, merged, inTheWay });
}

/** Removes the worktree and its branch, or says what is in the way. */
export async function removeWorktree(order: { root: string; path: string; branch: string }): Promise<Outcome<void, string>> {
	const { root, path, branch } = order;
	const state = await isMergedAndClean(order);
	if (!state.ok) return state;
	const [first, ...rest] = state.value.inTheWay;
	if (first !== undefined) return fail(first, ...rest);
	if (existsSync(path)) {
		// git asks for --force where there are submodules, clean or not; that they are clean was seen above.
		const removed = await git(root, ['worktree', 'remove', path]);
		const again =
			removed.ok || !/submodules/.test(removed.failures[0]) ? removed : await git(root, ['worktree', 'remove', '--force', path]);
		if (!again.ok) return again;
	} else await git(root, ['worktree', 'prune']);
	const tip = await gitText(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
	if (!tip.ok) return pass(undefined);
	const still = await heldElsewhere(root, tip.value, branch);
	if (!still.ok) return still;
	if (!still.value) return fail(`${branch} is not merged; run git merge ${branch}`);
	const deleted = await git(root, ['update-ref', '-d', `refs/heads/${branch}`, tip.value]);
	return deleted.ok ? pass(undefined) : deleted;
}

/** A commit that another branch, here or fetched, or a detached checkout contains. A branch that is gone holds nothing to lose. */
async function heldElsewhere(root: string, tip: string, branch: string): Promise<Outcome<boolean, string>> {
	const commit = await gitText(root, ['rev-parse', '--verify', '--quiet', `${tip}^{commit}`]);
	if (!commit.ok) return pass(true);
	const head = await currentHead(root);
	if (head.ok && head.value.branch === null && (await git(root, ['merge-base', '--is-ancestor', commit.value, 'HEAD'])).ok)
		return pass(true);
	const refs = await gitText(root, ['for-each-ref', `--contains=${commit.value}`, '--format=%(refname)', 'refs/heads', 'refs/remotes']);
	return refs.ok ? pass(refs.value.split('\n').some((ref) => ref !== '' && ref !== `refs/heads/${branch}`)) : refs;
}
