import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { git } from '../../src/worktree/git.ts';
import { imprintOf, sameImprint, wouldShow } from '../../src/worktree/imprint.ts';
import { repositoryOf } from '../../src/worktree/repository.ts';
import { parseStatus, statusArgs } from '../../src/worktree/status.ts';
import { got, SampleRepo } from './sample-repo.ts';

const files = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', '.gitignore': '.tmp/\nbuild/\n*.log\n', 'top.txt': 'top\n' };

/** What git ignores there, and the imprint without it. */
async function looked(repo: SampleRepo, dir = repo.dir) {
	const found = repositoryOf(dir)!;
	const { ignored } = parseStatus(got(await git(found.top, statusArgs)));
	return { ignored, imprint: () => imprintOf(found, (path) => ignored.has(path)) };
}

/** A change made now has another time than all before, once the clock has ticked. */
async function tick(): Promise<void> {
	for (const began = Date.now(); Date.now() - began < 20; ) await new Promise((resolve) => setImmediate(resolve));
}

describe('the imprint of a tree tells', () => {
	const cases: [string, (repo: SampleRepo) => void][] = [
		['a new file', (repo) => repo.write('src/new.ts', 'n')],
		[
			'a file of the same size and with its old times',
			(repo) => {
				const then = new Date(1_000_000_000_000);
				repo.write('src/a.ts', 'z\n');
				utimesSync(repo.path('src/a.ts'), then, then);
			},
		],
		['a removed file', (repo) => unlinkSync(repo.path('src/a.ts'))],
		['a renamed file', (repo) => renameSync(repo.path('src/a.ts'), repo.path('src/c.ts'))],
		['an executable bit', (repo) => chmodSync(repo.path('src/a.ts'), 0o755)],
		[
			'a file replaced by a link',
			(repo) => {
				unlinkSync(repo.path('top.txt'));
				symlinkSync('/etc/passwd', repo.path('top.txt'));
			},
		],
		['a file swapped for another', (repo) => renameSync(repo.path('src/a.ts'), repo.path('src/b.ts'))],
		['a directory', (repo) => repo.write('lib/deep/er/x.ts', 'x')],
		['something staged', (repo) => repo.git('update-index', '--chmod=+x', 'src/a.ts')],
		['a commit', (repo) => repo.git('commit', '-q', '--allow-empty', '-m', 'empty')],
		['another branch', (repo) => repo.git('checkout', '-q', '-b', 'other')],
		['a ref moved by hand', (repo) => writeFileSync(repo.path('.git/refs/heads/main'), `${'1'.repeat(40)}\n`)],
		['a second name of a file outside', (repo) => linkSync(repo.path('src/a.ts'), `${repo.home}/outside`)],
		['a tracked file in an ignored directory', (repo) => repo.write('build/kept.ts', 'changed')],
		['a file in an untracked directory', (repo) => repo.write('draft/one.txt', 'changed')],
	];
	test.each(cases)('%s', async (_, act) => {
		using repo = new SampleRepo(files);
		repo.write('build/kept.ts', 'kept');
		repo.git('add', '-f', 'build/kept.ts');
		repo.git('commit', '-q', '-m', 'kept');
		repo.write('draft/one.txt', '1');
		const { imprint } = await looked(repo);
		const before = imprint()!;
		await tick();
		act(repo);
		expect(sameImprint(before, imprint()!)).toBe(false);
	});

	test('nothing where nothing happened, and nothing of what git ignores or is ours', async () => {
		using repo = new SampleRepo(files);
		repo.write('build/x.o', 'x');
		repo.write('.tmp/task/t1/manifest.yaml', 'x');
		repo.write('src/x.log', 'x');
		const { imprint, ignored } = await looked(repo);
		expect([...ignored].sort()).toEqual(['.tmp', 'build', 'src/x.log']);
		const before = imprint()!;
		await tick();
		repo.write('build/y.o', 'y');
		repo.write('.tmp/task/t2/manifest.yaml', 'x');
		writeFileSync(repo.path('src/x.log'), 'more');
		execFileSync('git', ['status'], { cwd: repo.dir, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } });
		expect(sameImprint(before, imprint()!)).toBe(true);
	});
});

describe('no imprint is taken where it would not tell enough', () => {
	test('a repository within', async () => {
		using repo = new SampleRepo(files);
		execFileSync('git', ['init', '-q', repo.path('inner')]);
		expect((await looked(repo)).imprint()).toBeNull();
	});

	test('a large tree', async () => {
		using repo = new SampleRepo({});
		for (let n = 0; n < 1001; n++) repo.write(`d${n % 10}/${n}`, '');
		expect((await looked(repo)).imprint()).toBeNull();
	});

	test('a name that is no text', async () => {
		using repo = new SampleRepo(files);
		writeFileSync(Buffer.concat([Buffer.from(`${repo.dir}/`), Buffer.of(0xff, 0x61)]), '');
		expect((await looked(repo)).imprint()).toBeNull();
	});

	test('a workspace below the top of its repository is looked at as a whole', async () => {
		using repo = new SampleRepo({ ...files, 'app/x.ts': 'x' });
		const { imprint } = await looked(repo, repo.path('app'));
		const before = imprint()!;
		await tick();
		repo.write('top.txt', 'new');
		expect(sameImprint(before, imprint()!)).toBe(false);
	});
});

test('a change counts as one that would show only where the clock has moved on since the newest', () => {
	const at = (newestMs: number) => ({ marks: [], newestMs });
	expect(wouldShow(at(10_000.5), 10_026)).toBe(true);
	expect(wouldShow(at(10_000.5), 10_020)).toBe(false);
	expect(wouldShow(at(10_000.5), 9_000)).toBe(false);
	// Whole seconds: a file system that keeps no finer time.
	expect(wouldShow(at(10_000), 11_999)).toBe(false);
	expect(wouldShow(at(10_000), 12_001)).toBe(true);
});
