import { expect, test } from 'vitest';
import { changeSoFar } from '../../src/queue/change-so-far.ts';
import { got, SampleRepo } from '../worktree/sample-repo.ts';

test('a file changed within the second of its commit, to the same size, is in the diff', async () => {
	using repo = new SampleRepo();
	repo.write('src/a.ts', 'z\n');
	// In the next second the file's time alone no longer says that it may have changed since.
	await new Promise((resolve) => setTimeout(resolve, 1100));
	const diff = got(await changeSoFar(repo.dir, null)).toString();
	expect(diff.match(/^[+-]\w.*$/gm)).toEqual(['-a', '+z']);
	expect(repo.git('status', '--porcelain')).toBe(' M src/a.ts');
});
