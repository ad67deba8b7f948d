import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { gitText, isNo } from './git.ts';

export interface Repository {
	/** Real path of the directory that was asked about. */
	readonly dir: string;
	/** Top of the work tree. */
	readonly top: string;
	/** `packages/app/` if the directory lies below the top, else ''. */
	readonly prefix: string;
	readonly gitDir: string;
	/** Where config, hooks and objects are: the main repository's git directory for a worktree. */
	readonly commonDir: string;
}

/** The repository a directory lies in, found as git does but without starting one; null outside. */
export function repositoryOf(path: string): Repository | null {
	const dir = realPath(path);
	if (dir === null) return null;
	for (let top = dir; ; top = dirname(top)) {
		const gitDir = gitDirIn(top);
		if (gitDir !== null) {
			const below = relative(top, dir);
			return { dir, top, prefix: below === '' ? '' : `${below}/`, gitDir, commonDir: commonDirOf(gitDir) };
		}
		if (dirname(top) === top) return null;
	}
}

export function gitTop(dir: string): string | null {
	return repositoryOf(dir)?.top ?? null;
}

export interface Head {
	/** Null before the first commit. */
	readonly commit: string | null;
	/** Null if detached. */
	readonly branch: string | null;
}

export async function currentHead(dir: string): Promise<Outcome<Head, string>> {
	if (repositoryOf(dir) === null) return fail(`${dir} is not in a git repository`);
	const [commit, branch] = await Promise.all([
		gitText(dir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
		gitText(dir, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
	]);
	for (const one of [commit, branch]) if (!one.ok && !isNo(one.failures[0])) return one;
	return pass({ commit: commit.ok ? commit.value : null, branch: branch.ok ? branch.value : null });
}

function gitDirIn(top: string): string | null {
	const path = join(top, '.git');
	const kind = lstatSync(path, { throwIfNoEntry: false });
	if (kind === undefined) return null;
	if (kind.isFile()) {
		const named = /^gitdir: (.+)$/m.exec(readIfThere(path))?.[1];
		return named === undefined ? null : resolve(top, named.trimEnd());
	}
	return readIfThere(join(path, 'HEAD')) === '' ? null : path;
}

function commonDirOf(gitDir: string): string {
	const named = readIfThere(join(gitDir, 'commondir')).trim();
	return named === '' ? gitDir : resolve(gitDir, named);
}

function readIfThere(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}

function realPath(path: string): string | null {
	try {
		return realpathSync.native(path);
	} catch {
		return null;
	}
}
