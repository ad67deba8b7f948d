import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { extractDiff } from '../../src/gate/unified-diff.ts';
import { applyDiff } from '../../src/worktree/apply-diff.ts';
import { capturePatch, capturePaths } from '../../src/worktree/patch.ts';
import { got, SampleRepo } from './sample-repo.ts';

/** All files of a work tree without git's own. */
const filesOf = (dir: string) =>
	execFileSync(
		'sh',
		['-c', 'find . -path ./.git -prune -o \\( -type f -o -type l \\) -print | sort | while read -r f; do echo "$f $(cksum < "$f")"; done'],
		{ cwd: dir, encoding: 'utf8' },
	);

test('the patch turns a copy of the start into the end, with what was dirty before left out', async () => {
	using repo = new SampleRepo();
	repo.write('src/a.ts', 'dirty before\n');
	repo.write('loose before', 'x\n');
	repo.git('add', 'src/a.ts');
	const index = repo.git('diff', '--cached');
	const before = await repo.snapshot({ tree: true });
	const copy = join(repo.home, 'copy');
	cpSync(repo.dir, copy, { recursive: true });

	repo.write('src/a.ts', 'dirty before\nand more\n');
	repo.write('new/binary', '\0\x01\x02');
	unlinkSync(repo.path('src/b.ts'));
	repo.write('docs/x.md', 'committed\n');
	repo.git('commit', '-q', '-m', 'x', '--', 'docs/x.md');
	rmSync(repo.path('docs'), { recursive: true });
	symlinkSync('src', repo.path('docs'));
	const after = await repo.snapshot({ tree: true });
	const toFile = join(repo.home, 'x.patch');
	const { bytes } = got(await capturePatch({ dir: repo.dir, before, after, toFile }));

	expect(statSync(toFile)).toMatchObject({ size: bytes });
	expect(statSync(toFile).mode & 0o777).toBe(0o600);
	expect(readFileSync(toFile, 'utf8')).not.toContain('loose before');
	expect(repo.git('diff', '--cached')).toBe(index);
	execFileSync('git', ['apply', toFile], { cwd: copy });
	expect(filesOf(copy)).toBe(filesOf(repo.dir));
});

test('a patch of named paths is against a commit; the index, and what else is dirty, stay out of it', async () => {
	using repo = new SampleRepo();
	const head = repo.git('rev-parse', 'HEAD');
	repo.write('docs/x.md', 'staged by the user\n');
	repo.git('add', 'docs/x.md');
	const index = repo.git('diff', '--cached');
	repo.write('src/a.ts', 'changed\n');
	repo.write('src/new.ts', 'n\n');
	unlinkSync(repo.path('src/b.ts'));
	const toFile = join(repo.home, 'x.patch');
	const order = { head, scratch: repo.home, toFile };
	got(await capturePaths({ ...order, dir: repo.dir, paths: ['src/a.ts', 'src/new.ts', 'src/b.ts', 'never there'] }));
	const whole = readFileSync(toFile, 'utf8');
	expect([...whole.matchAll(/^diff --git a\/(.*) b\//gm)].map((found) => found[1])).toEqual(['src/a.ts', 'src/b.ts', 'src/new.ts']);
	expect(repo.git('diff', '--cached')).toBe(index);
	got(await capturePaths({ ...order, dir: repo.path('src'), paths: ['a.ts', 'b.ts', 'new.ts'] }));
	expect(readFileSync(toFile, 'utf8')).toBe(whole);
	got(await capturePaths({ ...order, dir: repo.dir, head: null, paths: ['src/new.ts'] }));
	expect(readFileSync(toFile, 'utf8')).toContain('+n');
});

test('an unchanged tree leaves no patch', async () => {
	using repo = new SampleRepo();
	const before = await repo.snapshot({ tree: true });
	const toFile = join(repo.home, 'x.patch');
	expect(got(await capturePatch({ dir: repo.dir, before, after: before, toFile }))).toEqual({ bytes: 0 });
	expect(existsSync(toFile)).toBe(false);
});

const diff = (text: string) => {
	const found = extractDiff(text);
	return found.kind === 'diff' ? found.text : expect.fail('no diff');
};

test('a diff from an answer is checked without touching anything, then applied', async () => {
	using repo = new SampleRepo();
	const answer =
		'Here:\n```diff\n--- src/a.ts\n+++ src/a.ts\n@@ -1 +1,9 @@\n-a\n+better\n```\n```diff\n--- /dev/null\n+++ b/src/n.ts\n@@ -0,0 +1 @@\n+n\n```\n';
	const order = { dir: repo.dir, diffText: diff(answer) };
	expect(await applyDiff({ ...order, check: true })).toEqual({ kind: 'applies', paths: ['src/a.ts', 'src/n.ts'] });
	expect(repo.git('status', '--porcelain')).toBe('');
	expect(await applyDiff({ ...order, check: false })).toMatchObject({ kind: 'applies' });
	expect([readFileSync(repo.path('src/a.ts'), 'utf8'), readFileSync(repo.path('src/n.ts'), 'utf8')]).toEqual(['better\n', 'n\n']);
	expect(await applyDiff({ ...order, check: true })).toMatchObject({ kind: 'broken' });
});

test('in a workspace below the top, the paths of a diff are those of the workspace', async () => {
	using repo = new SampleRepo();
	const order = { dir: repo.path('src'), diffText: '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+z\n', check: false };
	expect(await applyDiff(order)).toEqual({ kind: 'applies', paths: ['a.ts'] });
	expect(readFileSync(repo.path('src/a.ts'), 'utf8')).toBe('z\n');
});

test.each([
	['leaves the tree', '--- a/../evil\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n'],
	['goes into .git', '--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n'],
	['goes through a link', '--- /dev/null\n+++ b/out/evil\n@@ -0,0 +1 @@\n+x\n'],
	[
		'makes a symlink',
		'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n',
	],
	['is garbage', 'diff --git garbage\n'],
])('a diff that %s is broken', async (_, diffText) => {
	using repo = new SampleRepo();
	symlinkSync(repo.home, repo.path('out'));
	writeFileSync(repo.path('.git/info/exclude'), 'out\n');
	expect(await applyDiff({ dir: repo.dir, diffText, check: false })).toMatchObject({ kind: 'broken' });
	expect(repo.git('status', '--porcelain')).toBe('');
	expect(existsSync(join(repo.home, 'evil'))).toBe(false);
});
