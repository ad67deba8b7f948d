import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packetNames } from '../../src/packet/names.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { readIndexCache, writeIndexCache } from '../../src/queue/index-cache.ts';
import { entryOf, indexPackets } from '../../src/queue/packet-index.ts';
import { story } from '../journal/story.ts';
import { PacketYard, put } from './packet-yard.ts';

const ids = (yard: PacketYard) => indexPackets(yard.dir).map((entry) => entry.id);
const lock = (change: object) =>
	JSON.stringify({ ...ownIdentity(), token: '0123456789abcdef', since: '2026-03-01T12:00:00Z', command: 'dispatch run', ...change });

test('packets are listed with what their manifests and journals say, the oldest first', () => {
	using yard = new PacketYard();
	yard.packet('b', { task_type: 'review', based_on: 'a', depends_on: ['c', 'a'], created_at: '2026-03-01T10:00:00+02:00' });
	yard.packet('a', { task_type: undefined, routing: { intent: 'review_cross' }, group: 'g', created_at: '2026-03-01T09:00:00Z' });
	yard.packet('c', { create_review: true });
	yard.completed('b', { verdict: 'CHANGES_REQUESTED' });
	mkdirSync(yard.path('.tmp/task/empty'));
	expect(indexPackets(yard.dir)).toMatchObject([
		{ id: 'b', dependsOn: ['a', 'c'], basedOn: 'a', type: 'review', status: 'completed', verdict: 'CHANGES_REQUESTED' },
		{ id: 'a', group: 'g', type: null, intent: 'review_cross', status: 'pending', verdict: null, updated: null, dependsOn: [] },
		{ id: 'c', createReview: true, goal: 'Goal of c', problems: [] },
	]);
});

test('a run that has not said its end is in progress while its owner lives, and orphaned afterwards', () => {
	using yard = new PacketYard();
	const names = yard.packet('a');
	yard.events('a', story('a').run(['claude_impl']));
	put(names.lock, lock({}));
	expect(entryOf(yard.dir, 'a')).toMatchObject({ status: 'in_progress', orphaned: false });
	put(names.lock, lock({ start_time: '1' }));
	expect(entryOf(yard.dir, 'a')).toMatchObject({ status: 'interrupted', orphaned: true });
	put(names.lock, lock({ host: 'elsewhere' }));
	expect(entryOf(yard.dir, 'a')).toMatchObject({ status: 'in_progress', orphaned: false });
	rmSync(names.lock);
	expect(indexPackets(yard.dir)).toMatchObject([{ status: 'interrupted', orphaned: true }]);
});

test('invalid packets are listed as such; a packet behind a link is one', () => {
	using yard = new PacketYard();
	yard.written('bad', 'task_id: other\ngoal: G\ntask_type: plan\n');
	yard.packet('real');
	symlinkSync('real', yard.path('.tmp/task/linked'));
	const entries = indexPackets(yard.dir);
	expect(entries.map(({ id, status, problems }) => [id, status, problems[0]?.message])).toEqual([
		['bad', 'invalid', 'task_id is "other", but the packet\'s directory is "bad"'],
		['linked', 'invalid', 'is a symbolic link or no directory: a packet must lie where its name says'],
		['real', 'pending', undefined],
	]);
});

test('a packet whose journal cannot be read needs a human, and is looked at anew each time', () => {
	using yard = new PacketYard();
	const names = yard.packet('a');
	yard.packet('b');
	mkdirSync(names.journal, { recursive: true });
	expect(indexPackets(yard.dir).map(({ id, status }) => [id, status])).toEqual([
		['a', 'needs_human'],
		['b', 'pending'],
	]);
	rmSync(names.journal, { recursive: true });
	yard.completed('a');
	expect(entryOf(yard.dir, 'a')?.status).toBe('completed');
});

test('what was read is kept, and a changed manifest, a finished run and a new packet are seen at once', async () => {
	using yard = new PacketYard();
	for (let n = 10; n < 60; n++) yard.packet(`p${n}`, { group: 'old', created_at: `2026-03-01T12:00:${n}Z` });
	await new Promise((resolve) => setTimeout(resolve, 150)); // younger files are not trusted to show a change by their time
	expect(ids(yard)).toHaveLength(50);
	const cache = readIndexCache(yard.dir);
	expect(cache.size).toBe(50);

	// The second listing believes what is kept …
	for (const [id, packet] of cache) cache.set(id, { ...packet, manifest: { ...packet.manifest, group: 'kept' } });
	writeIndexCache(yard.dir, cache);
	const elsewhere = yard.path('../moved');
	renameSync(yard.dir, elsewhere);
	const groups = () => Object.fromEntries(indexPackets(elsewhere).map((entry) => [entry.id, entry]));
	expect(groups().p10).toMatchObject({ group: 'kept', status: 'pending' });

	// … but for what has changed since.
	const manifest = packetNames(elsewhere, 'p10').manifest;
	writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('group: old', 'group: new'));
	const told = story('p11');
	put(packetNames(elsewhere, 'p11').journal, `${[told.run(['s']), told.finished()].map((event) => JSON.stringify(event)).join('\n')}\n`);
	put(packetNames(elsewhere, 'p99').manifest, 'task_id: p99\ngoal: G\ntask_type: plan\n');
	rmSync(packetNames(elsewhere, 'p12').dir, { recursive: true });
	const after = groups();
	expect(after.p10!.group).toBe('new');
	expect(after.p11!.status).toBe('completed');
	expect(after.p99!.type).toBe('plan');
	expect(after.p12).toBeUndefined();
	expect(after.p13!.group).toBe('kept');
	renameSync(elsewhere, yard.dir);
});

test('a damaged cache is read as none', () => {
	using yard = new PacketYard();
	yard.packet('a');
	for (const damage of ['', 'x', 'dispatch-index-1 00\n[["a",{}]]', '{"schema":1}\n{}']) {
		put(yard.path('.tmp/cache/index.json'), damage);
		expect(readIndexCache(yard.dir).size).toBe(0);
	}
});

test('an archived packet still stands for those that depend on it', () => {
	using yard = new PacketYard();
	yard.packet('plan', { task_type: 'plan', created_at: '2026-01-01T00:00:00Z' });
	yard.completed('plan');
	yard.packet('impl', { based_on: 'plan', created_at: '2026-01-02T00:00:00Z' });
	mkdirSync(yard.path('.tmp/archive'));
	renameSync(yard.path('.tmp/task/plan'), join(yard.dir, '.tmp/archive/plan'));
	expect(indexPackets(yard.dir)).toMatchObject([
		{ id: 'plan', archived: true, status: 'completed' },
		{ id: 'impl', archived: false },
	]);
});
