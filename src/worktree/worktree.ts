import { lstatSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { sha256 } from '../contract/sha256.ts';
import { git, gitText } from './git.ts';
import { currentHead, type Repository, repositoryOf } from './repository.ts';
import { fillSubmodules } from './submodules.ts';

export interface Worktree {
	/** Top of the worktree, absolute. */
	readonly path: string;
	/** Where servants work: the same place in the worktree that the root has in the repository. */
	readonly workspace: string;
	readonly branch: string;
	/** The commit the branch started from. */
	readonly base: string;
	/** False: it was there already. */
	readonly created: boolean;
	readonly warnings: readonly string[];
}

export const noCommit = 'the repository has no commit yet; a worktree needs one to start from';
export const firstCommit = 'git commit --allow-empty -m start';

/** Where the worktree of a packet lies, relative to the root. */
export const worktreePath = (id: string) => `.tmp/worktree/${id}`;

/** `dispatch/<id>`; the few ids that git takes for no branch name get one that differs from every other id's. */
export function branchOf(id: string): string {
	const fit = id
		.replace(/\.{2,}/g, '-')
		.replace(/\.lock$/, '-lock')
		.replace(/\.$/, '-');
	return `dispatch/${fit === id ? id : `${fit}-${sha256(id).slice(0, 6)}`}`;
}

/**
 * The packet's own worktree: taken as it is if it exists, made from its branch if only that is left, else begun at `base` or where the
 * user's checkout stands. The checkout itself, its index and its uncommitted changes are not touched.
 */
export async function createWorktree(order: {
	root: string;
	id: string;
	base?: string;
	branch?: string;
}): Promise<Outcome<Worktree, string>> {
	const { root, id } = order;
	const branch = order.branch ?? branchOf(id);
	const repo = repositoryOf(root);
	if (repo === null) return fail(`${root} is not in a git repository; a worktree needs one: run git init and make a first commit`);
	const path = join(repo.dir, worktreePath(id));
	const link = [join(repo.dir, '.tmp'), join(repo.dir, '.tmp/worktree'), path].find(isLink);
	if (link !== undefined) return fail(`${link} is a symlink; a worktree is not made behind one`);
	const start = await startOf(repo.dir, order.base);
	if (!start.ok) return start;

	// Entries whose directory somebody deleted would block the name; git drops only those.
	await git(repo.top, ['worktree', 'prune']);
	if (holdsSomething(path)) return reuse(repo, { path, branch, start: start.value });
	try {
		await mkdir(join(repo.dir, '.tmp/worktree'), { recursive: true });
	} catch (error) {
		return fail(`${worktreePath(id)} could not be made: ${(error as Error).message}`);
	}
	const hasBranch = async () => (await gitText(repo.top, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok;
	const existed = await hasBranch();
	const added = await patiently(async () => {
		// Looked at anew each time: an attempt that fails late has already made the branch.
		const what = (await hasBranch()) ? [path, branch] : ['--no-track', '-b', branch, path, start.value];
		return git(repo.top, ['worktree', 'add', '--quiet', ...what]);
	});
	if (!added.ok) return fail(`the worktree ${worktreePath(id)} could not be made: ${added.failures[0]}`);
	const base = existed ? await baseOf(repo.top, branch, start.value) : start.value;
	return pass({
		path,
		workspace: join(path, repo.prefix),
		branch,
		base,
		created: true,
		warnings: await fillSubmodules({ from: repo.top, to: path }),
	});
}

async function startOf(dir: string, base: string | undefined): Promise<Outcome<string, string>> {
	if (base !== undefined) {
		const found = await gitText(dir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`]);
		return found.ok ? found : fail(`the base ${base} is no commit of this repository`);
	}
	const head = await currentHead(dir);
	if (!head.ok) return head;
	return head.value.commit === null ? fail(noCommit) : pass(head.value.commit);
}

async function reuse(repo: Repository, at: { path: string; branch: string; start: string }): Promise<Outcome<Worktree, string>> {
	const { path, branch } = at;
	const inner = repositoryOf(path);
	if (inner === null || inner.top !== inner.dir || inner.commonDir !== repo.commonDir) {
		return fail(`${path} exists and is no worktree of this repository; move it away`);
	}
	const head = await currentHead(path);
	if (!head.ok) return head;
	if (head.value.branch !== branch) {
		return fail(`${path} is on ${head.value.branch ?? 'no branch'}, not on ${branch}; run git -C ${path} switch ${branch}`);
	}
	const base = await baseOf(repo.top, branch, at.start);
	return pass({ path, workspace: join(path, repo.prefix), branch, base, created: false, warnings: [] });
}

async function baseOf(top: string, branch: string, start: string): Promise<string> {
	const found = await gitText(top, ['merge-base', start, `refs/heads/${branch}`]);
	return found.ok ? found.value : start;
}

/** An empty directory is what a killed attempt may leave; git fills it. */
function holdsSomething(path: string): boolean {
	const kind = lstatSync(path, { throwIfNoEntry: false });
	return kind !== undefined && !(kind.isDirectory() && readdirSync(path).length === 0);
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Two dispatchers that make worktrees at once meet at git's lock files and at each other's half-made entries, which live for milliseconds. */
async function patiently<T>(attempt: () => Promise<Outcome<T, string>>): Promise<Outcome<T, string>> {
	for (let tries = 0; ; tries += 1) {
		const done = await attempt();
		if (done.ok || tries === 5 || !/\.lock\b|could not lock|failed to read .*worktrees/.test(done.failures[0])) return done;
		await new Promise((resume) => setTimeout(resume, 50 * 2 ** tries));
	}
}
