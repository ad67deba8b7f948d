import { open, rename, rm, stat } from 'node:fs/promises';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { git } from './git.ts';
import { repositoryOf } from './repository.ts';

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
	if (before.tree === after.tree) return pass({ bytes: 0 });
	const temporary = `${toFile}.${process.pid}.tmp`;
	try {
		const file = await open(temporary, 'w', 0o600);
		try {
			const written = await git(repo.top, [...plainDiff, before.tree, after.tree, '--'], { toFd: file.fd });
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
