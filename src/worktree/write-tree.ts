import { constants, copyFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, pass } from '../contract/outcome.ts';
import { git, gitText } from './git.ts';
import type { Repository } from './repository.ts';

export interface Dirty {
	readonly raw: Buffer;
	readonly gone: boolean;
}

/**
 * The work tree as a git tree, from the list of what is dirty in it: no second walk, and the user's own index is only copied. Onto the
 * head nothing counts but that list. The
 * objects go into the repository's store, where nothing refers to them and git's own housekeeping removes them in time.
 */
export async function writeTree(
	repo: Repository,
	options: { head: string | null; dirty: readonly Dirty[]; scratch: string; onto?: 'index' | 'head' },
): Promise<Outcome<string, string>> {
	const { head, dirty, scratch, onto = 'index' } = options;
	if (dirty.length === 0) return head === null ? emptyTree(repo) : pass(head);
	const file = join(scratch, `index-${process.pid}-${Math.random().toString(36).slice(2)}`);
	const env = { GIT_INDEX_FILE: file };
	try {
		// Without a first `git add` there is no index yet; git then begins with an empty one.
		if (onto === 'index') await copyIndex(join(repo.gitDir, 'index'), file).catch(() => {});
		else if (head !== null) {
			const read = await git(repo.top, ['read-tree', head], { env });
			if (!read.ok) return read;
		}
		const gone = dirty.filter((one) => one.gone).map(({ raw }) => Buffer.concat([Buffer.from(`0 ${'0'.repeat(40)}\t`), raw]));
		if (gone.length > 0) {
			const removed = await git(repo.top, ['update-index', '-z', '--index-info'], { env, input: listed(gone) });
			if (!removed.ok) return removed;
		}
		const there = dirty.filter((one) => !one.gone).map(({ raw }) => raw);
		if (there.length > 0) {
			const added = await git(repo.top, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { env, input: listed(there) });
			if (!added.ok) return added;
		}
		return await gitText(repo.top, ['write-tree', '--missing-ok'], { env });
	} finally {
		await rm(file, { force: true });
	}
}

/**
 * With its time: git looks into a file that changed in the second its index was written, and a copy that looks younger would hide such
 * a change. Rounded down, which only makes git look more often.
 */
async function copyIndex(from: string, to: string): Promise<void> {
	const { mtimeMs } = await stat(from);
	await copyFile(from, to, constants.COPYFILE_EXCL);
	const seconds = Math.floor(mtimeMs / 1000);
	await utimes(to, seconds, seconds);
}

export function emptyTree(repo: Repository): Promise<Outcome<string, string>> {
	return gitText(repo.top, ['hash-object', '-t', 'tree', '-w', '--stdin'], { input: '' });
}

const listed = (paths: readonly Buffer[]) => Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)]));
