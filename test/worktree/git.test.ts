import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitText } from '../../src/worktree/git.ts';
import { currentHead } from '../../src/worktree/repository.ts';
import { got, SampleRepo } from './sample-repo.ts';

async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
	const before = process.env.PATH;
	process.env.PATH = path;
	try {
		return await work();
	} finally {
		process.env.PATH = before;
	}
}

test('a directory on PATH that cannot be looked into does not hide git in a later one', async () => {
	using repo = new SampleRepo();
	// Like a directory of somebody else's, it makes stat throw; root may look into every directory.
	const unseen = join(repo.home, 'loop');
	symlinkSync(unseen, unseen);
	const head = repo.git('rev-parse', 'HEAD');
	expect(got(await withPath(`${unseen}:${process.env.PATH}`, () => gitText(repo.dir, ['rev-parse', 'HEAD'])))).toBe(head);
});

test('a git that is not there, or will not read the repository, is not taken for a repository without a commit', async () => {
	using repo = new SampleRepo();
	expect(await withPath(repo.home, () => currentHead(repo.dir))).toEqual({ ok: false, failures: ['git was not found on PATH'] });
	repo.write('.git/config', 'not a config');
	expect(await currentHead(repo.dir)).toMatchObject({ ok: false, failures: [expect.stringContaining('bad config line 1')] });
});

test('a directory that is gone is named', async () => {
	using repo = new SampleRepo();
	expect(await gitText(repo.path('y'), ['status'])).toMatchObject({
		ok: false,
		failures: [`git could not be started in ${repo.path('y')}: the directory is gone`],
	});
});
