import { open, rename, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { contentOf, isBig } from './content.ts';
import { git } from './git.ts';
import { type Repository, repositoryOf } from './repository.ts';
import { emptyTree, writeTree } from './write-tree.ts';

/** A diff that `git apply` takes anywhere, whatever the user's configuration makes of diffs. */
export const plainDiff = [
	'diff',
	'--binary',
	'--full-index',
	'--no-color',
	'--no-ext-diff',
	'--no-textconv',
	'--src-prefix=a/',
	'--dst-prefix=b/',
];

/** What changed between two snapshots that kept their trees, as a patch file (0600, whole or not at all). Nothing changed: no file, 0 bytes. */
export async function capturePatch(order: {
	dir: string;
	before: TreeSnapshot;
	after: TreeSnapshot;
	toFile: string;
}): Promise<Outcome<{ bytes: number }, string>> {
	const { dir, before, after, toFile } = order;
	const repo = repositoryOf(dir);
	if (repo === null) return fail(`${dir} is not in a git repository`);
	if (before.tree === null || after.tree === null) return fail('no tree was kept to make a patch from');
	return diffInto(toFile, repo, before.tree, after.tree);
}

/** What stands at these paths of a workspace now, against a commit: for where no tree was kept. What they held before that is not known. */
export async function capturePaths(order: {
	dir: string;
	head: string | null;
	paths: readonly string[];
	scratch: string;
	toFile: string;
}): Promise<Outcome<{ bytes: number }, string>> {
	const { dir, head, paths, scratch, toFile } = order;
	const repo = repositoryOf(dir);
	if (repo === null) return fail(`${dir} is not in a git repository`);
	const dirty = paths.flatMap((path) => {
		const file = contentOf(join(repo.dir, path), repo.dir, false);
		const isKept = /^(?:file|link|none)/.test(file.content) && !isBig(file);
		return isKept ? [{ raw: Buffer.from(posix.join(repo.prefix, path)), gone: file.content === 'none' }] : [];
	});
	const base = head === null ? await emptyTree(repo) : pass(head);
	if (!base.ok) return base;
	const tree = await writeTree(repo, { head, dirty, scratch, onto: 'head' });
	return tree.ok ? diffInto(toFile, repo, base.value, tree.value) : tree;
}

async function diffInto(toFile: string, repo: Repository, from: string, to: string): Promise<Outcome<{ bytes: number }, string>> {
	if (from === to) return pass({ bytes: 0 });
	const temporary = `${toFile}.${process.pid}.tmp`;
	try {
		const file = await open(temporary, 'w', 0o600);
		try {
			const written = await git(repo.top, [...plainDiff, from, to, '--'], { toFd: file.fd });
			if (!written.ok) return written;
			await file.sync();
		} finally {
			await file.close();
		}
		const { size } = await stat(temporary);
		if (size > 0) await rename(temporary, toFile);
		return pass({ bytes: size });
	} catch (error) {
		return fail(`the patch could not be written: ${(error as Error).message}`);
	} finally {
		await rm(temporary, { force: true });
	}
}
