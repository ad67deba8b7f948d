import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeSnapshot } from '../../src/worktree/snapshot.ts';
import { SampleRepo } from './sample-repo.ts';

describe('everything a servant does to the work tree is found', () => {
	const cases: [string, (repo: SampleRepo) => void, string[]][] = [
		['a new file', (repo) => repo.write('src/new.ts', 'n'), ['added src/new.ts']],
		['a modified file', (repo) => repo.write('src/a.ts', 'changed'), ['modified src/a.ts']],
		['a modified file of the same length', (repo) => repo.write('src/a.ts', 'z\n'), ['modified src/a.ts']],
		['a deleted file', (repo) => unlinkSync(repo.path('src/a.ts')), ['deleted src/a.ts']],
		['a renamed file', (repo) => renameSync(repo.path('src/a.ts'), repo.path('docs/a.ts')), ['added docs/a.ts', 'deleted src/a.ts']],
		['git mv', (repo) => repo.git('mv', 'src/a.ts', 'src/c.ts'), ['deleted src/a.ts', 'added src/c.ts']],
		['an executable bit', (repo) => chmodSync(repo.path('src/a.ts'), 0o755), ['modified src/a.ts']],
		[
			'a staged file',
			(repo) => {
				repo.write('src/a.ts', 'changed');
				repo.git('add', 'src/a.ts');
			},
			['modified src/a.ts'],
		],
		[
			'something staged and hidden again in the work tree',
			(repo) => {
				repo.write('src/a.ts', 'evil');
				repo.git('add', 'src/a.ts');
				repo.write('src/a.ts', 'a\n');
			},
			['modified src/a.ts'],
		],
		[
			'a commit',
			(repo) => {
				repo.write('src/a.ts', 'changed');
				repo.commit('sneaky');
			},
			['modified src/a.ts'],
		],
		[
			'a commit that moves a file',
			(repo) => {
				repo.git('mv', 'src/a.ts', 'a.ts');
				repo.commit('moved');
			},
			['added a.ts', 'deleted src/a.ts'],
		],
		[
			'a file hidden by assume-unchanged',
			(repo) => {
				repo.git('update-index', '--assume-unchanged', 'src/a.ts');
				repo.write('src/a.ts', 'hidden');
			},
			['modified src/a.ts'],
		],
		[
			'a file hidden by skip-worktree',
			(repo) => {
				repo.git('update-index', '--skip-worktree', 'src/b.ts');
				repo.write('src/b.ts', 'hidden');
			},
			['modified src/b.ts'],
		],
		[
			'a directory replaced by a link',
			(repo) => {
				rmSync(repo.path('src'), { recursive: true });
				symlinkSync('/etc', repo.path('src'));
			},
			['added src', 'deleted src/a.ts', 'deleted src/b.ts'],
		],
		[
			'odd names',
			(repo) => {
				repo.write('__proto__', 'x');
				repo.write('a "b"\n\tü', 'x');
			},
			['added __proto__', 'added a "b"\n\tü'],
		],
		[
			'a repository made inside, its committed files too',
			(repo) => {
				mkdirSync(repo.path('src/inner'));
				repo.git('-C', 'src/inner', 'init', '-q');
				repo.write('src/inner/committed', 'x');
				repo.git('-C', 'src/inner', 'add', '-A');
				repo.git('-C', 'src/inner', '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '-m', 'x');
				repo.write('src/inner/loose', 'x');
			},
			['added src/inner', 'added src/inner/committed', 'added src/inner/loose'],
		],
		[
			'a directory that became a link to where its files are now',
			(repo) => {
				renameSync(repo.path('src'), repo.path('docs/moved'));
				symlinkSync('docs/moved', repo.path('src'));
			},
			['added docs/moved/a.ts', 'added docs/moved/b.ts', 'added src', 'deleted src/a.ts', 'deleted src/b.ts'],
		],
		['a hook', (repo) => repo.write('.git/hooks/pre-commit', 'evil'), ['added .git/hooks/pre-commit']],
		['a setting that runs programs', (repo) => repo.git('config', 'core.fsmonitor', 'evil'), ['modified .git/config']],
		['an exclude rule', (repo) => writeFileSync(repo.path('.git/info/exclude'), 'src/new.ts\n'), ['modified .git/info/exclude']],
		[
			'a setting that runs programs, behind a section that is not looked at',
			(repo) => appendFileSync(repo.path('.git/config'), '[branch "x"][core]hooksPath = evil\n'),
			['modified .git/config'],
		],
		['an upstream noted in the configuration is no change', (repo) => repo.git('config', 'branch.x.remote', 'origin'), []],
		['what lies in .tmp is no change', (repo) => repo.write('.tmp/task/t1/notes', 'x'), []],
		[
			'a file taken out of the index and left in place',
			(repo) => {
				repo.git('rm', '-q', '--cached', 'src/a.ts');
			},
			['modified src/a.ts'],
		],
		['an ignored file is no change', (repo) => repo.write('x.secret', 'x'), []],
		['nothing', () => {}, []],
	];
	test.each(cases)('%s', async (_, act, expected) => {
		using repo = new SampleRepo();
		expect(await repo.during(() => act(repo))).toEqual(expected);
	});
});

describe('what was dirty before', () => {
	const dirty = (repo: SampleRepo) => {
		repo.write('src/a.ts', 'dirty');
		repo.write('src/loose.ts', 'loose');
		repo.write('docs/x.md', 'staged');
		repo.git('add', 'docs/x.md');
		unlinkSync(repo.path('src/b.ts'));
	};
	const cases: [string, (repo: SampleRepo) => void, string[]][] = [
		['is not reported when it stays as it is', () => {}, []],
		['is not reported when it is only written again', (repo) => repo.write('src/a.ts', 'dirty'), []],
		['is not reported when it is staged as it stands', (repo) => repo.git('add', '-A'), []],
		['is reported when it changes further', (repo) => repo.write('src/a.ts', 'dirtier'), ['modified src/a.ts']],
		['is reported when it is put back', (repo) => repo.git('checkout', '-q', 'src/a.ts'), ['modified src/a.ts']],
		['is reported when it is restored', (repo) => repo.git('checkout', '-q', 'src/b.ts'), ['added src/b.ts']],
		['is reported when it is deleted', (repo) => unlinkSync(repo.path('src/loose.ts')), ['deleted src/loose.ts']],
		[
			'is reported when it is stashed away',
			(repo) => repo.git('stash', '-q', '-u'),
			['modified docs/x.md', 'modified src/a.ts', 'added src/b.ts', 'deleted src/loose.ts'],
		],
		[
			'is not reported when it is stashed and brought back',
			(repo) => {
				repo.git('stash', '-q', '-u');
				repo.git('stash', 'pop', '-q', '--index');
			},
			[],
		],
		[
			'is reported when it is committed',
			(repo) => {
				repo.git('add', 'src/a.ts');
				repo.git('commit', '-q', '-m', 'x', '--', 'src/a.ts');
			},
			['modified src/a.ts'],
		],
		[
			'is reported when what is staged changes under it',
			(repo) => {
				repo.write('docs/x.md', 'other');
				repo.git('add', 'docs/x.md');
				repo.write('docs/x.md', 'staged');
			},
			['modified docs/x.md'],
		],
	];
	test.each(cases)('%s', async (_, act, expected) => {
		using repo = new SampleRepo();
		dirty(repo);
		expect(await repo.during(() => act(repo))).toEqual(expected);
	});
});

test('a file that was out of the index before is not reported', async () => {
	using repo = new SampleRepo();
	repo.git('rm', '-q', '--cached', 'src/a.ts');
	expect(await repo.during(() => {})).toEqual([]);
	expect(await repo.during(() => repo.write('src/a.ts', 'x'))).toEqual(['modified src/a.ts']);
});

test('ignored files are watched where they are denied, and only there', async () => {
	using repo = new SampleRepo();
	repo.write('old.secret', 'x');
	repo.write('conf/Prod.secret', 'x');
	const deny = ['conf', 'old.secret'];
	const act = () => {
		repo.write('other.secret', 'free');
		repo.write('conf/PROD.secret', 'y');
		repo.write('conf/Prod.secret', 'y');
		unlinkSync(repo.path('old.secret'));
	};
	const before = await repo.snapshot({ deny });
	act();
	expect(await repo.changes(before, { deny })).toMatchObject([
		{ path: 'conf/PROD.secret', kind: 'added', ignored: true },
		{ path: 'conf/Prod.secret', kind: 'modified', ignored: true },
		{ path: 'old.secret', kind: 'deleted', ignored: true },
	]);
});

test('manifests are guarded though .tmp is excepted', async () => {
	using repo = new SampleRepo();
	repo.write('.tmp/task/t1/manifest.yaml', 'goal: x');
	const guard = [repo.path('.tmp/task/t1/manifest.yaml')];
	const before = await repo.snapshot({ guard });
	repo.write('.tmp/task/t1/manifest.yaml', 'goal: y');
	expect(await repo.changes(before, { guard })).toMatchObject([{ path: '.tmp/task/t1/manifest.yaml', kind: 'modified', protected: true }]);
});

test('a symlink says where it really leads, also a committed one', async () => {
	using repo = new SampleRepo();
	symlinkSync('/etc', repo.path('out'));
	repo.commit('a way out');
	const before = await repo.snapshot();
	symlinkSync('../docs/x.md', repo.path('src/in'));
	symlinkSync('../out/passwd', repo.path('src/around'));
	symlinkSync('nowhere', repo.path('src/broken'));
	repo.commit('links');
	symlinkSync('../../elsewhere', repo.path('src/loose'));
	const targets = Object.fromEntries((await repo.changes(before)).map(({ path, target }) => [path, target]));
	expect(targets).toMatchObject({ 'src/in': 'docs/x.md', 'src/broken': 'src/nowhere', 'src/loose': '../elsewhere' });
	expect(targets['src/around']).toMatch(/^(\.\.\/)+etc\/passwd$/);
});

describe('submodules', () => {
	const withSubmodule = () => {
		const lib = new SampleRepo({ 'lib.ts': 'lib\n', 'other.ts': 'o\n' });
		const repo = new SampleRepo();
		repo.git('submodule', '--quiet', 'add', lib.dir, 'vendor/lib');
		repo.commit('vendored');
		repo.git('-C', 'vendor/lib', 'config', 'user.name', 'x');
		repo.git('-C', 'vendor/lib', 'config', 'user.email', 'x@x');
		lib[Symbol.dispose]();
		return repo;
	};
	test('what is dirty within is named by its own path', async () => {
		using repo = withSubmodule();
		repo.write('vendor/lib/other.ts', 'dirty before');
		const act = () => {
			repo.write('vendor/lib/lib.ts', 'changed');
			repo.write('vendor/lib/.tmp/new', 'n');
		};
		expect(await repo.during(act)).toEqual(['added vendor/lib/.tmp/new', 'modified vendor/lib/lib.ts']);
	});
	test.each([
		['only within', false],
		['and recorded outside', true],
	])('what is committed within is found: %s', async (_, outside) => {
		using repo = withSubmodule();
		const act = () => {
			repo.write('vendor/lib/lib.ts', 'changed');
			repo.git('-C', 'vendor/lib', 'commit', '-q', '-a', '-m', 'x');
			if (outside) repo.commit('bump');
		};
		expect(await repo.during(act)).toEqual(['modified vendor/lib', 'modified vendor/lib/lib.ts']);
	});
});

test('a workspace below the top sees changes beside it', async () => {
	using repo = new SampleRepo();
	const dir = repo.path('src');
	const act = () => {
		repo.write('src/a.ts', 'x');
		repo.write('docs/x.md', 'y');
		repo.write('src/.tmp/z', 'ours');
	};
	expect(await repo.during(act, { dir })).toEqual(['modified ../docs/x.md', 'modified a.ts']);
});

test('works before the first commit, on a detached HEAD and in a linked worktree', async () => {
	using empty = new SampleRepo({});
	expect(
		await empty.during(() => {
			empty.write('x', 'x');
			empty.commit('first');
			empty.write('y', 'y');
		}),
	).toEqual(['added x', 'added y']);
	using repo = new SampleRepo();
	repo.git('checkout', '-q', '--detach');
	expect(await repo.during(() => repo.write('src/a.ts', 'x'))).toEqual(['modified src/a.ts']);
	repo.git('worktree', 'add', '-q', join(repo.home, 'linked'), '-b', 'side');
	const dir = join(repo.home, 'linked');
	expect(await repo.during(() => writeFileSync(join(dir, 'src/b.ts'), 'x'), { dir })).toEqual(['modified src/b.ts']);
});

test('outside git there is nothing to compare; a broken repository is a failure and not an empty list', async () => {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-plain-'));
	const order = { dir, denied: null, guard: [], scratch: null };
	expect(await takeSnapshot(order)).toEqual({ ok: true, value: null });
	rmSync(dir, { recursive: true });
	using repo = new SampleRepo();
	writeFileSync(repo.path('.git/index'), 'garbage');
	expect(await takeSnapshot({ ...order, dir: repo.dir })).toMatchObject({ ok: false });
});

test('a pipe in the tree neither hangs nor hides', async () => {
	using repo = new SampleRepo();
	// git does not list pipes at all; one in place of a tracked file shows as its deletion or change.
	const act = () => {
		unlinkSync(repo.path('src/a.ts'));
		execFileSync('mkfifo', [repo.path('src/a.ts')]);
	};
	expect((await repo.during(act)).join()).toContain('src/a.ts');
});

test('a parent git command does not redirect us to its own repository', async () => {
	using repo = new SampleRepo();
	using other = new SampleRepo({ x: 'x' });
	process.env.GIT_DIR = other.path('.git');
	process.env.GIT_INDEX_FILE = other.path('.git/index');
	try {
		const found = await repo.snapshot();
		delete process.env.GIT_DIR;
		delete process.env.GIT_INDEX_FILE;
		expect(found.head).toBe(repo.git('rev-parse', 'HEAD'));
	} finally {
		delete process.env.GIT_DIR;
		delete process.env.GIT_INDEX_FILE;
	}
});

test('random operations: exactly the paths whose content differs are reported', async () => {
	const names = ['a', 'b', 'src/a', 'src/b', 'src/deep/c', 'new'];
	const operation = fc.record({
		what: fc.constantFrom('write', 'delete', 'stage', 'commit'),
		path: fc.constantFrom(...names),
		text: fc.constantFrom('1', '2', '3'),
	});
	const perform = (repo: SampleRepo, { what, path, text }: { what: string; path: string; text: string }) => {
		if (what === 'write') repo.write(path, text);
		if (what === 'delete') rmSync(repo.path(path), { force: true });
		if (what === 'stage') repo.git('add', '-A');
		if (what === 'commit') repo.git('commit', '-q', '--allow-empty', '-m', 'x');
	};
	const contents = (repo: SampleRepo) =>
		names.map((name) => {
			try {
				return execFileSync('cat', [repo.path(name)], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
			} catch {
				return null;
			}
		});
	await fc.assert(
		fc.asyncProperty(fc.array(operation, { maxLength: 5 }), fc.array(operation, { maxLength: 5 }), async (earlier, later) => {
			using repo = new SampleRepo({ a: '1', 'src/a': '1', 'src/deep/c': '1' });
			for (const one of earlier) perform(repo, one);
			const before = await repo.snapshot();
			const then = contents(repo);
			for (const one of later) perform(repo, one);
			const now = contents(repo);
			const reported = (await repo.changes(before)).map(({ path }) => path);
			const differ = names.filter((_, index) => then[index] !== now[index]);
			expect(reported).toEqual(expect.arrayContaining(differ));
			// A commit may report files that were dirty before; without one nothing else is named.
			if (!later.some(({ what }) => what === 'commit' || what === 'stage')) expect(reported.sort()).toEqual([...differ].sort());
		}),
		{ numRuns: 25 },
	);
});

test('a tree that git has looked at and that nobody touched since is not looked at by git again, and a change in it is found all the same', async () => {
	using repo = new SampleRepo();
	repo.write('src/dirty.ts', 'dirty');
	const settled = Date.now() + 60;
	while (Date.now() < settled) await new Promise((resolve) => setImmediate(resolve));
	const before = await repo.snapshot();
	const path = process.env.PATH;
	process.env.PATH = repo.home;
	try {
		expect(await repo.snapshot()).toEqual(before);
	} finally {
		process.env.PATH = path;
	}
	repo.write('src/a.ts', 'z\n');
	expect(await repo.changes(before)).toEqual([{ path: 'src/a.ts', kind: 'modified', target: null, ignored: false }]);
	repo.write('src/dirty.ts', 'other');
	expect((await repo.changes(before)).map(({ path: at }) => at)).toEqual(['src/a.ts', 'src/dirty.ts']);
});

test('a tree in which a directory became a link can be kept whole', async () => {
	using repo = new SampleRepo();
	renameSync(repo.path('src'), repo.path('docs/moved'));
	symlinkSync('docs/moved', repo.path('src'));
	repo.git('rm', '-q', '--cached', 'src/b.ts');
	const { tree } = await repo.snapshot({ tree: true });
	const paths = repo.git('ls-tree', '-r', '--name-only', tree!).split('\n');
	expect(paths).toEqual(['.gitignore', 'docs/moved/a.ts', 'docs/moved/b.ts', 'docs/x.md', 'src']);
});
