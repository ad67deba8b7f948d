import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { branchDiff, isMergedAndClean, removeWorktree } from '../../src/worktree/branch.ts';
import { commitAll } from '../../src/worktree/commit.ts';
import { currentHead, gitTop } from '../../src/worktree/repository.ts';
import { branchOf, createWorktree } from '../../src/worktree/worktree.ts';
import { got, SampleRepo } from './sample-repo.ts';

const failureOf = (outcome: { ok: boolean; failures?: readonly string[] }) => (outcome.ok ? 'none' : outcome.failures?.join('; '));

test('a packet gets its own branch and worktree; the dirty checkout stays as it was', async () => {
	using repo = new SampleRepo();
	repo.write('src/a.ts', 'dirty');
	repo.write('loose', 'x');
	const before = repo.git('status', '--porcelain');
	const head = repo.git('rev-parse', 'HEAD');
	const made = got(await createWorktree({ root: repo.dir, id: 't1' }));
	expect(made).toEqual({
		path: repo.path('.tmp/worktree/t1'),
		workspace: `${repo.path('.tmp/worktree/t1')}`,
		branch: 'dispatch/t1',
		base: head,
		created: true,
		warnings: [],
	});
	expect(readFileSync(join(made.path, 'src/a.ts'), 'utf8')).toBe('a\n');
	expect([repo.git('status', '--porcelain'), repo.git('branch', '--show-current')]).toEqual([before, 'main']);
	expect(got(await createWorktree({ root: repo.dir, id: 't1' }))).toEqual({ ...made, created: false });
});

test('works from a detached HEAD, and from a base that is named', async () => {
	using repo = new SampleRepo();
	const first = repo.git('rev-parse', 'HEAD');
	repo.write('src/a.ts', 'two\n');
	const second = repo.commit('second');
	repo.git('checkout', '-q', '--detach');
	expect(got(await createWorktree({ root: repo.dir, id: 'here' })).base).toBe(second);
	expect(got(await createWorktree({ root: repo.dir, id: 'there', base: 'main~1' })).base).toBe(first);
	expect(got(await currentHead(repo.dir))).toEqual({ commit: second, branch: null });
	expect(failureOf(await createWorktree({ root: repo.dir, id: 'x', base: 'nowhere' }))).toBe(
		'the base nowhere is no commit of this repository',
	);
});

test('work on a branch whose worktree was deleted is taken up again', async () => {
	using repo = new SampleRepo();
	const made = got(await createWorktree({ root: repo.dir, id: 't1' }));
	writeFileSync(join(made.path, 'work'), 'w');
	const { commit } = got(await commitAll({ dir: made.path, message: 'some work' }));
	rmSync(made.path, { recursive: true });
	mkdirSync(made.path);
	const again = got(await createWorktree({ root: repo.dir, id: 't1' }));
	expect(again).toMatchObject({ created: true, base: made.base });
	expect(got(await currentHead(again.path)).commit).toBe(commit);
});

test('a commit holds everything, by the user, without hooks; nothing to commit is no commit', async () => {
	using repo = new SampleRepo();
	repo.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
	const { chmodSync } = await import('node:fs');
	chmodSync(repo.path('.git/hooks/pre-commit'), 0o755);
	repo.git('config', 'commit.gpgSign', 'true');
	const { path, base, branch } = got(await createWorktree({ root: repo.dir, id: 't1' }));
	writeFileSync(join(path, 'new'), 'n\n');
	rmSync(join(path, 'src/b.ts'));
	mkdirSync(join(path, '.tmp'));
	writeFileSync(join(path, '.gitignore'), '');
	writeFileSync(join(path, '.tmp/ours'), 'x');
	expect(got(await commitAll({ dir: path, message: '# Make it so\n\nbecause' })).commit).toMatch(/^[0-9a-f]{40}$/);
	expect(repo.git('log', '-1', '--format=%an <%ae> %s', branch)).toBe('Ada <ada@example.com> # Make it so');
	expect(repo.git('diff', '--name-only', base, branch).split('\n')).toEqual(['.gitignore', 'new', 'src/b.ts']);
	expect(got(await commitAll({ dir: path, message: 'again' }))).toEqual({ commit: null });
	expect(got(await branchDiff({ root: repo.dir, branch, base }))).toContain('+++ b/new\n@@ -0,0 +1 @@\n+n');
});

test('without an identity a neutral one commits', async () => {
	using repo = new SampleRepo();
	repo.git('config', 'user.name', '');
	repo.git('config', 'user.email', '');
	const { path } = got(await createWorktree({ root: repo.dir, id: 't1' }));
	writeFileSync(join(path, 'new'), 'n\n');
	got(await commitAll({ dir: path, message: 'x' }));
	expect(repo.git('log', '-1', '--format=%an <%ae>', 'dispatch/t1')).toBe('dispatch <dispatch@localhost>');
});

test('submodules are filled from the local clone, also a second level, and the shared configuration stays as it was', async () => {
	using deep = new SampleRepo({ 'deep.ts': 'deep\n' });
	using lib = new SampleRepo({ 'lib.ts': 'lib\n' });
	lib.git('submodule', '--quiet', 'add', deep.dir, 'deep');
	lib.commit('deep');
	using repo = new SampleRepo();
	repo.git('submodule', '--quiet', 'add', lib.dir, 'vendor/lib');
	repo.git('submodule', '--quiet', 'update', '--init', '--recursive');
	repo.commit('vendored');
	rmSync(lib.dir, { recursive: true });
	// As after a fresh clone whose submodule was checked out by other means: git would note it here.
	repo.git('config', '--remove-section', 'submodule.vendor/lib');
	const config = readFileSync(repo.path('.git/config'), 'utf8');
	const { path, warnings } = got(await createWorktree({ root: repo.dir, id: 't1' }));
	expect(warnings).toEqual([]);
	expect(readFileSync(join(path, 'vendor/lib/lib.ts'), 'utf8')).toBe('lib\n');
	expect(readFileSync(join(path, 'vendor/lib/deep/deep.ts'), 'utf8')).toBe('deep\n');
	expect(readFileSync(repo.path('.git/config'), 'utf8')).toBe(config);
	expect(repo.git('status', '--porcelain')).toBe('');
	expect(failureOf(await removeWorktree({ root: repo.dir, path, branch: 'dispatch/t1' }))).toBe('none');
	expect(existsSync(path)).toBe(false);
});

test('a worktree is removed only when nothing would be lost', async () => {
	using repo = new SampleRepo();
	const { path, branch } = got(await createWorktree({ root: repo.dir, id: 't1' }));
	const order = { root: repo.dir, path, branch };
	writeFileSync(join(path, 'new'), 'n\n');
	expect(failureOf(await removeWorktree(order))).toBe(`${path} has 1 uncommitted file; commit or remove them`);
	got(await commitAll({ dir: path, message: 'work' }));
	expect(failureOf(await removeWorktree(order))).toBe('dispatch/t1 is not merged; run git merge dispatch/t1');
	expect(existsSync(join(path, 'new'))).toBe(true);
	repo.git('merge', '-q', '--no-edit', branch);
	expect(got(await isMergedAndClean(order))).toEqual({ clean: true, merged: true, inTheWay: [] });
	got(await removeWorktree(order));
	expect([existsSync(path), repo.git('branch', '--list', 'dispatch/*')]).toEqual([false, '']);
});

test('what stands in the way of a worktree is said', async () => {
	using repo = new SampleRepo();
	repo.write('.tmp/worktree/t1/x', 'x');
	expect(failureOf(await createWorktree({ root: repo.dir, id: 't1' }))).toBe(
		`${repo.path('.tmp/worktree/t1')} exists and is no worktree of this repository; move it away`,
	);
	symlinkSync(repo.home, repo.path('.tmp/worktree/t2'));
	expect(failureOf(await createWorktree({ root: repo.dir, id: 't2' }))).toContain('is a symlink');
	const { path } = got(await createWorktree({ root: repo.dir, id: 't3' }));
	repo.git('-C', path, 'switch', '-q', '-c', 'mine');
	expect(failureOf(await createWorktree({ root: repo.dir, id: 't3' }))).toContain('is on mine, not on dispatch/t3');
	using empty = new SampleRepo({});
	expect(failureOf(await createWorktree({ root: empty.dir, id: 't1' }))).toContain('no commit yet');
	expect(failureOf(await createWorktree({ root: empty.home, id: 't1' }))).toContain('not in a git repository');
	expect(gitTop(empty.home)).toBe(null);
});

test('a project below the top of its repository works at the same place in the worktree', async () => {
	using repo = new SampleRepo();
	const made = got(await createWorktree({ root: repo.path('src'), id: 't1' }));
	expect(made.workspace).toBe(`${repo.path('src/.tmp/worktree/t1/src')}/`);
	expect(existsSync(join(made.workspace, 'a.ts'))).toBe(true);
});

test('every task id has a branch name that git takes, and no two share one', () => {
	using repo = new SampleRepo();
	const ids = ['t1', 'a..b', 'a-b', 'x.lock', 'end.', '-dash', 'a.b', '@'];
	const branches = ids.map(branchOf);
	expect(branchOf('t1')).toBe('dispatch/t1');
	expect(new Set(branches).size).toBe(ids.length);
	for (const branch of branches) expect(repo.git('check-ref-format', '--branch', branch)).toBe(branch);
});

test('worktrees made at once all come to be', async () => {
	using repo = new SampleRepo();
	const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => createWorktree({ root: repo.dir, id })));
	expect(made.map((one) => failureOf(one))).toEqual(['none', 'none', 'none', 'none', 'none']);
});
