import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { git, gitText } from './git.ts';
import { repositoryOf } from './repository.ts';

/**
 * Commits what is in a worktree, but never our own `.tmp`, nor `except`: paths of the workspace that were there before the work began.
 * Null if there was nothing to commit. No hooks, no signature.
 */
export async function commitAll(order: {
	dir: string;
	message: string;
	except?: readonly string[];
}): Promise<Outcome<{ commit: string | null }, string>> {
	const { message } = order;
	const repo = repositoryOf(order.dir);
	if (repo === null) return fail(`${order.dir} is not in a git repository`);
	const dir = repo.top;
	const without = ['.tmp', ...(order.except ?? [])].map((path) => `:(exclude,literal)${repo.prefix}${path}`);
	const added = await git(dir, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: ['.', ...without].join('\0') });
	if (!added.ok) return added;
	const staged = await git(dir, ['diff', '--cached', '--quiet', '--ignore-submodules=none', '--no-ext-diff']);
	if (staged.ok) return pass({ commit: null });
	const who = await identity(dir);
	const args = [...who.config, '-c', 'commit.gpgSign=false', 'commit', '--quiet', '--no-verify', '--cleanup=whitespace', '--file=-'];
	const done = await git(dir, args, { input: message.trim() === '' ? 'dispatch' : message, env: who.env });
	if (!done.ok) return done;
	const commit = await gitText(dir, ['rev-parse', 'HEAD']);
	return commit.ok ? pass({ commit: commit.value }) : commit;
}

/** The user's own, from git's configuration or the variables git reads; where there is none, one that names nobody. */
async function identity(dir: string): Promise<{ config: string[]; env: Record<string, string> }> {
	const env = Object.fromEntries(
		['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'].flatMap((name) => {
			const value = process.env[name];
			return value === undefined || value === '' ? [] : [[name, value]];
		}),
	);
	const [name, email] = await Promise.all([gitText(dir, ['config', 'user.name']), gitText(dir, ['config', 'user.email'])]);
	const known = name.ok && name.value !== '' && email.ok && email.value !== '';
	return { config: known ? [] : ['-c', 'user.name=dispatch', '-c', 'user.email=dispatch@localhost'], env };
}
