import type { DiffCheck } from '../contract/evidence.ts';
import { git, records } from './git.ts';
import { fromPrefix, pathText } from './path-text.ts';
import { repositoryOf } from './repository.ts';

/**
 * Tries a diff against the work tree (`check`), or applies it, all of it or nothing. Its paths are those git found in it. git itself
 * refuses paths that leave the tree, lead through a symlink or into `.git`.
 */
export async function applyDiff(order: { dir: string; diffText: string; check: boolean }): Promise<DiffCheck> {
	const { dir, diffText, check } = order;
	const repo = repositoryOf(dir);
	if (repo === null) return broken('not in a git repository');
	if (/^(?:new file mode|new mode|old mode|index \S+) ?(?:120000|160000)/m.test(diffText))
		return broken('it makes a symlink or a submodule');
	const place = repo.prefix === '' ? [] : [`--directory=${repo.prefix}`];
	const config = ['-c', 'apply.whitespace=nowarn', '-c', 'apply.ignoreWhitespace=no', 'apply', ...place];
	const named = await git(repo.top, [...config, '--numstat', '-z'], { input: diffText });
	if (!named.ok) return broken(named.failures[0]);
	const done = await git(repo.top, [...config, ...(check ? ['--check'] : [])], { input: diffText });
	return done.ok ? { kind: 'applies', paths: pathsOf(named.value, repo.prefix) } : broken(done.failures[0]);
}

const broken = (reason: string): DiffCheck => ({ kind: 'broken', reason: reason.replace(/^git apply: /, '') });

function pathsOf(numstat: Buffer, prefix: string): string[] {
	const paths = records(numstat).map((line) => pathText(line).replace(/^[\d-]+\t[\d-]+\t/, ''));
	return [...new Set(paths.map((path) => fromPrefix(prefix, path)))];
}
