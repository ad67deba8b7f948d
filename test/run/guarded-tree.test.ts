import { expect, test } from 'vitest';
import type { TreeSnapshot } from '../../src/contract/tree-snapshot.ts';
import { type GuardRequest, takeTree } from '../../src/packet/guards.ts';
import { packetNames } from '../../src/packet/names.ts';
import { ownIdentity, sameProcessAlive } from '../../src/process/identity.ts';
import { guardTree } from '../../src/run/guarded-tree.ts';
import { SampleRepo } from '../worktree/sample-repo.ts';

const aTurn = () => new Promise((resolve) => setImmediate(resolve));

function treeOf(repo: SampleRepo) {
	const request: GuardRequest = {
		root: repo.dir,
		self: ownIdentity(),
		command: 'test',
		now: () => new Date().toISOString(),
		liveness: sameProcessAlive,
	};
	const tree = guardTree({
		workspace: { dir: repo.dir, git: true },
		manifest: { task_id: 't', goal: 'g' },
		names: packetNames(repo.dir, 't'),
		freshMs: Number.POSITIVE_INFINITY,
	});
	const found = (outcome: Awaited<ReturnType<typeof tree.atStart>>): TreeSnapshot => {
		if (!outcome.ok || outcome.value === null) throw new Error('the tree could not be looked at');
		return outcome.value;
	};
	return {
		read: () => takeTree(request, repo.dir, 'read')!,
		atStart: async () => found(await tree.atStart('read')),
		end: async (before: TreeSnapshot) => {
			const now = await tree.since(before, 'read');
			return now.ok ? now.value.after : null;
		},
	};
}

test('a reader that follows at once finds the tree as the one before it left it, without another look', async () => {
	using repo = new SampleRepo();
	const tree = treeOf(repo);
	const first = tree.read();
	const after = await tree.end(await tree.atStart());
	first.release();
	const second = tree.read();
	await aTurn();
	expect(await tree.atStart()).toBe(after);
	second.release();
});

test('what was written while nobody read the tree is not the next reader’s doing, however soon it follows', async () => {
	using repo = new SampleRepo();
	const tree = treeOf(repo);
	const first = tree.read();
	const after = await tree.end(await tree.atStart());
	first.release();
	await aTurn();
	repo.write('built.txt', 'built');
	const second = tree.read();
	const found = await tree.atStart();
	expect(found).not.toBe(after);
	expect(found.entries.map((entry) => entry.path)).toEqual(['built.txt']);
	second.release();
});
