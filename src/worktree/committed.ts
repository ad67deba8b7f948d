import { join, relative } from 'node:path';
import type { TreeChange } from '../contract/evidence.ts';
import { type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { contentOf } from './content.ts';
import { git, gitText, records } from './git.ts';
import { fromPrefix, isOurs, pathText } from './path-text.ts';
import { type Repository, repositoryOf } from './repository.ts';
import { emptyTree } from './write-tree.ts';

/** Paths that commits made between two snapshots have changed, also those in submodules: committed work is clean and `git status` silent. */
export async function committedBetween(order: {
	dir: string;
	before: TreeSnapshot;
	after: TreeSnapshot;
}): Promise<Outcome<TreeChange[], string>> {
	const { dir, before, after } = order;
	if (before.head === after.head && after.inside.length === 0) return pass([]);
	const repo = repositoryOf(dir);
	if (repo === null) return pass([]);
	const own = await diffOf(repo, before.head, after.head, repo.dir);
	if (!own.ok) return own;
	const changes = [...own.value];
	for (const inner of after.inside) {
		const innerRepo = repositoryOf(join(repo.dir, inner.path));
		if (innerRepo === null || innerRepo.top === repo.top) continue;
		const then = before.inside.find((one) => one.path === inner.path)?.head ?? (await recorded(repo, before.head, inner.path));
		const inside = await diffOf(innerRepo, then, inner.head, repo.dir);
		if (!inside.ok) return inside;
		changes.push(...inside.value);
	}
	return pass(changes);
}

const submodule = '160000';
const symlink = '120000';

async function diffOf(repo: Repository, from: string | null, to: string | null, workspace: string): Promise<Outcome<TreeChange[], string>> {
	if (from === to) return pass([]);
	const ends: string[] = [];
	for (const commit of [from, to]) {
		const tree = commit === null ? await emptyTree(repo) : pass(commit);
		if (!tree.ok) return tree;
		ends.push(tree.value);
	}
	// No renames: a moved file is one that went and one that came, and both places must be in scope.
	const args = ['diff', '--raw', '-z', '--no-abbrev', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', ...ends, '--'];
	const listed = await git(repo.top, args);
	if (!listed.ok) return listed;
	const changes: TreeChange[] = [];
	const lines = records(listed.value);
	for (let at = 0; at + 1 < lines.length; at += 2) {
		const [oldMode = '', newMode = '', oldId = '', newId = '', letter = ''] = (lines[at]?.toString('latin1') ?? '').slice(1).split(' ');
		const inRepo = pathText(lines[at + 1] ?? Buffer.of());
		const path = repo.dir === workspace ? fromPrefix(repo.prefix, inRepo) : relative(workspace, join(repo.top, inRepo));
		if (isOurs(path)) continue;
		const target = newMode === symlink ? contentOf(join(repo.top, inRepo), workspace).target : null;
		changes.push({ path, kind: kinds[letter.charAt(0)] ?? 'modified', target });
		const inner = oldMode === submodule || newMode === submodule ? repositoryOf(join(repo.top, inRepo)) : null;
		if (inner !== null && inner.top !== repo.top) {
			const inside = await diffOf(inner, idOf(oldMode, oldId), idOf(newMode, newId), workspace);
			// Commits that were never fetched here cannot be looked into; the submodule's own path is reported all the same.
			if (inside.ok) changes.push(...inside.value);
		}
	}
	return pass(changes);
}

const kinds: Record<string, TreeChange['kind']> = { A: 'added', D: 'deleted', M: 'modified', T: 'modified' };

const idOf = (mode: string, id: string) => (mode === submodule ? id : null);

/** The commit that a submodule was recorded at; null if the path was none. */
async function recorded(repo: Repository, head: string | null, path: string): Promise<string | null> {
	if (head === null) return null;
	const found = await gitText(repo.top, ['rev-parse', '--verify', '--quiet', `${head}:${repo.prefix}${path}`]);
	return found.ok ? found.value : null;
}
