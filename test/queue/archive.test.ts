import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PacketStatus } from '../../src/contract/words.ts';
import { acquireLock } from '../../src/packet/lock.ts';
import { packetNames } from '../../src/packet/names.ts';
import { ownIdentity, sameProcessAlive } from '../../src/process/identity.ts';
import { archivePacket } from '../../src/queue/archive.ts';
import { archivedPackets, deleteArchived } from '../../src/queue/archived.ts';
import { indexPackets } from '../../src/queue/packet-index.ts';
import { branchOf, createWorktree } from '../../src/worktree/worktree.ts';
import { got, SampleRepo } from '../worktree/sample-repo.ts';

const now = '2026-03-01T00:00:00.000Z';

function put(repo: SampleRepo, id: string, status: PacketStatus | null, more = ''): void {
	repo.write(`.tmp/task/${id}/manifest.yaml`, `task_id: ${id}\ngoal: look\ntask_type: explore\n${more}`);
	if (status === null) return;
	const line = { time: '2026-02-01T00:00:00.000Z', task_id: id, type: 'run_finished', status };
	repo.write(`.tmp/task/${id}/state/events.jsonl`, `${JSON.stringify(line)}\n`);
	repo.write(`.tmp/task/${id}/outputs/_summary.md`, `${status}\n`);
	repo.write(`.tmp/task/${id}/done/claude_explore.done`, '{}\n');
}

async function archive(repo: SampleRepo, id: string, forGood = false): Promise<string[]> {
	const done = await archivePacket({ root: repo.dir, id, delete: forGood, entries: indexPackets(repo.dir), now });
	return done.ok ? [done.value.to ?? 'deleted'] : done.failures.map(({ kind, message }) => `${kind}: ${message}`);
}

async function withWorktree(repo: SampleRepo, id: string): Promise<string> {
	const { path } = got(await createWorktree({ root: repo.dir, id }));
	const facts = { schema: 1, mode: 'worktree', branch: branchOf(id), base: repo.git('rev-parse', 'HEAD'), path: `.tmp/worktree/${id}` };
	repo.write(`.tmp/task/${id}/state/workspace.json`, JSON.stringify(facts));
	return path;
}

test('a finished packet is kept whole in the archive, without its lock', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'failed');
	expect(await archive(repo, 'a')).toEqual(['.tmp/archive/a']);
	expect(readFileSync(repo.path('.tmp/archive/a/outputs/_summary.md'), 'utf8')).toBe('failed\n');
	expect(existsSync(repo.path('.tmp/archive/a/done/claude_explore.done'))).toBe(true);
	expect(existsSync(repo.path('.tmp/archive/a/state/lock'))).toBe(false);
	expect(existsSync(repo.path('.tmp/task/a'))).toBe(false);
});

test('deletion leaves nothing of it', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	expect(await archive(repo, 'a', true)).toEqual(['deleted']);
	expect(existsSync(repo.path('.tmp/task/a')) || existsSync(repo.path('.tmp/archive/a'))).toBe(false);
});

test.each([
	['pending', null, 'in_the_way: a has not run yet'],
	['interrupted', 'interrupted', 'in_the_way: a was interrupted and is not finished; dispatch run a continues it'],
] as const)('a packet that is %s stays', async (_name, status, reason) => {
	using repo = new SampleRepo();
	put(repo, 'a', status);
	expect(await archive(repo, 'a')).toEqual([reason]);
	expect(existsSync(repo.path('.tmp/task/a/manifest.yaml'))).toBe(true);
});

test('a packet that somebody holds stays, and so does his lock', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	const { lock } = packetNames(repo.dir, 'a');
	const held = acquireLock({ file: lock, self: ownIdentity(), command: 'test', now, liveness: sameProcessAlive });
	expect(await archive(repo, 'a')).toEqual([`locked: a is locked by process ${process.pid}`]);
	expect(() => held.ok && held.value.check()).not.toThrow();
});

test('a packet that others still need stays until they are completed', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	put(repo, 'b', 'failed', 'depends_on: a\n');
	put(repo, 'c', null, 'based_on: a\n');
	expect(await archive(repo, 'a')).toEqual(['in_the_way: b (failed) depends on a', 'in_the_way: c (pending) depends on a']);
	put(repo, 'b', 'completed', 'depends_on: a\n');
	put(repo, 'c', 'completed', 'based_on: a\n');
	expect(await archive(repo, 'a')).toEqual(['.tmp/archive/a']);
});

test('a worktree with unmerged or uncommitted work keeps the packet; a merged and clean one goes with it', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	const path = await withWorktree(repo, 'a');
	repo.write('.tmp/worktree/a/src/new.ts', 'new\n');
	expect(await archive(repo, 'a')).toEqual([`in_the_way: a: ${path} has 1 uncommitted file; commit or remove them`]);
	repo.git('-C', path, 'add', '-A');
	repo.git('-C', path, 'commit', '-q', '-m', 'work');
	expect(await archive(repo, 'a')).toEqual(['in_the_way: a: dispatch/a is not merged; run git merge dispatch/a']);
	expect(await archive(repo, 'a', true)).toEqual(['in_the_way: a: dispatch/a is not merged; run git merge dispatch/a']);
	expect(readFileSync(repo.path('.tmp/worktree/a/src/new.ts'), 'utf8')).toBe('new\n');
	expect(existsSync(repo.path('.tmp/task/a/state/lock'))).toBe(false);
	repo.git('merge', '-q', 'dispatch/a');
	expect(await archive(repo, 'a')).toEqual(['.tmp/archive/a']);
	expect(existsSync(path)).toBe(false);
	expect(repo.git('branch', '--list', 'dispatch/*')).toBe('');
});

test('a packet is not moved over another, nor through a symbolic link', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	repo.write('.tmp/archive/a/manifest.yaml', 'older\n');
	expect(await archive(repo, 'a')).toEqual(['in_the_way: .tmp/archive/a exists already; move it away, or dispatch archive a --delete']);
	using other = new SampleRepo();
	put(other, 'a', 'completed');
	symlinkSync(repo.dir, other.path('.tmp/archive'));
	expect(await archive(other, 'a')).toEqual([
		`in_the_way: ${other.path('.tmp/archive')} is a symbolic link or no directory; a packet is not moved through one`,
	]);
});

test('an archived packet can be deleted unless an unfinished one depends on it', async () => {
	using repo = new SampleRepo();
	put(repo, 'a', 'completed');
	await archive(repo, 'a');
	put(repo, 'b', null, 'depends_on: a\n');
	expect(archivedPackets(repo.dir)).toEqual([{ id: 'a', updated: '2026-02-01T00:00:00.000Z' }]);
	expect(await deleteArchived(repo.dir, 'a', indexPackets(repo.dir))).toEqual({ ok: false, failures: ['b (pending) depends on a'] });
	put(repo, 'b', 'completed', 'depends_on: a\n');
	expect(await deleteArchived(repo.dir, 'a', indexPackets(repo.dir))).toEqual({ ok: true, value: undefined });
	expect(archivedPackets(repo.dir)).toEqual([]);
});
