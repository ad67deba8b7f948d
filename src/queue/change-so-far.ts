import { dirname } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { ensureDir } from '../packet/disk.ts';
import { attemptTmp } from '../packet/names.ts';
import { git, gitText } from '../worktree/git.ts';
import { plainDiff } from '../worktree/patch.ts';
import { currentHead, repositoryOf } from '../worktree/repository.ts';
import { takeSnapshot } from '../worktree/snapshot.ts';

/**
 * What the user's checkout holds beyond the commit where it left `base` (HEAD if null): committed since, staged, not staged, and new
 * files that git does not ignore. The checkout and its index are only read.
 */
export async function changeSoFar(root: string, base: string | null): Promise<Outcome<Buffer, string>> {
	const repo = repositoryOf(root);
	if (repo === null) return fail('there is no diff to take: this is not a git repository');
	const head = await currentHead(root);
	if (!head.ok) return head;
	if (head.value.commit === null) return fail('there is no diff to take: the repository has no commit yet');
	const from = base === null ? pass(head.value.commit) : await leftAt(root, base);
	if (!from.ok) return from;
	const scratch = dirname(attemptTmp(root, 'x'));
	ensureDir(scratch);
	const now = await takeSnapshot({ dir: root, denied: null, guard: [], scratch });
	if (!now.ok) return now;
	const diff = await git(repo.top, [...plainDiff, from.value, now.value?.tree ?? head.value.commit, '--']);
	return diff.ok && diff.value.length === 0 ? fail(`there is no difference to ${base ?? 'HEAD'}`) : diff;
}

async function leftAt(root: string, base: string): Promise<Outcome<string, string>> {
	const commit = await gitText(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`]);
	if (!commit.ok) return fail(`"${base}" is no commit of this repository`);
	const common = await gitText(root, ['merge-base', commit.value, 'HEAD']);
	return common.ok ? common : commit;
}
