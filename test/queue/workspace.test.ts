import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Manifest } from '../../src/contract/manifest.ts';
import { packetNames } from '../../src/packet/names.ts';
import { openWorkspace } from '../../src/queue/workspace.ts';
import { HaltSwitch } from '../../src/run/halt.ts';
import type { WorkPlace } from '../../src/run/run-order.ts';
import { plannedStage, planOf } from '../report/packets.ts';
import { PacketYard, put } from './packet-yard.ts';

const writes = [plannedStage('claude_impl', { access: 'write' })];

async function open(
	yard: { dir: string },
	manifest: Manifest,
	change: { setup?: string[]; inplace?: boolean; stages?: typeof writes } = {},
) {
	const reading = manifest.task_type === 'review';
	return openWorkspace({
		root: yard.dir,
		id: manifest.task_id,
		manifest,
		plan: planOf(reading ? ['claude_review'] : [], {
			workspace: change.inplace || reading ? 'inplace' : 'worktree',
			...(reading ? {} : { stages: change.stages ?? writes }),
		}),
		setup: change.setup ?? [],
		env: { PATH: process.env.PATH },
		halt: new HaltSwitch(),
	});
}

/** Opens the workspace of a packet and writes down where it is, as a run does. */
async function opened(yard: PacketYard, id: string, more: object = {}, change: Parameters<typeof open>[2] = {}): Promise<WorkPlace> {
	const fields = { task_type: 'implement', ...more };
	yard.packet(id, fields);
	const place = await open(yard, Manifest.parse({ task_id: id, goal: id, ...fields }), change);
	if ('problem' in place) expect.fail(place.problem);
	yard.workedIn(id, place.facts);
	return place;
}

test('a writing packet works in its own worktree, and a dirty checkout with a detached HEAD stays as it is', async () => {
	using yard = new PacketYard();
	const head = yard.git('rev-parse', 'HEAD');
	yard.git('switch', '-q', '--detach');
	yard.write('src/a.ts', 'mine\n');
	yard.write('untracked.txt', 'mine\n');
	yard.git('add', 'src/a.ts');
	const before = yard.git('status', '--porcelain=v2', '--branch');
	const place = await opened(yard, 'impl');
	expect(place).toEqual({
		dir: yard.path('.tmp/worktree/impl'),
		git: true,
		facts: { schema: 1, mode: 'worktree', branch: 'dispatch/impl', base: head, path: '.tmp/worktree/impl' },
		warnings: ['uncommitted changes are not in a new worktree, which begins at the last commit: src/a.ts, untracked.txt'],
	});
	expect(readFileSync(join(place.dir, 'src/a.ts'), 'utf8')).toBe('a\n');
	expect(yard.git('status', '--porcelain=v2', '--branch')).toBe(before);
});

test('same_branch, improve and review go where the packet before them worked', async () => {
	using yard = new PacketYard();
	const first = await opened(yard, 'impl');
	// The base stays what it was, also when the branch is merged meanwhile.
	yard.git('-C', first.dir, 'commit', '-q', '--allow-empty', '-m', 'work');
	yard.git('merge', '-q', 'dispatch/impl');
	expect(await opened(yard, 'more', { based_on: 'impl', same_branch: true })).toEqual(first);
	expect(await opened(yard, 'look', { task_type: 'review', based_on: 'more' })).toEqual(first);
	expect(await opened(yard, 'better', { task_type: 'improve', based_on: 'look' })).toEqual(first);
	expect((await opened(yard, 'own', { based_on: 'impl' })).facts.branch).toBe('dispatch/own');
	expect((await opened(yard, 'here', { task_type: 'review', based_on: 'impl', workspace: 'inplace' })).dir).toBe(yard.dir);
	expect(existsSync(yard.path('.tmp/worktree/look'))).toBe(false);
});

test('an improvement of what was made in the checkout goes on there, and says so', async () => {
	using yard = new PacketYard();
	yard.packet('plan', { task_type: 'plan' });
	yard.completed('plan');
	yard.workedIn('plan', { mode: 'inplace', branch: null, base: null, path: '.' });
	await opened(yard, 'first', { based_on: 'plan' });
	await opened(yard, 'impl', { workspace: 'inplace', based_on: 'first' }, { inplace: true });
	yard.completed('impl', { stage: 'claude_impl' });
	put(packetNames(yard.dir, 'impl').patch('claude_impl'), 'diff --git a/x b/x\n');
	expect((await opened(yard, 'look', { task_type: 'review', based_on: 'impl' })).dir).toBe(yard.dir);
	expect(await opened(yard, 'better', { task_type: 'improve', based_on: 'look' })).toMatchObject({
		dir: yard.dir,
		facts: { mode: 'inplace', branch: null },
		warnings: ['impl worked in the checkout, and so does this packet, which improves it'],
	});
	expect((await opened(yard, 'apart', { task_type: 'improve', based_on: 'look', workspace: 'worktree' })).facts.branch).toBe(
		'dispatch/apart',
	);
	expect((await opened(yard, 'anew', { task_type: 'improve', based_on: 'plan' })).facts.branch).toBe('dispatch/anew');
});

test('a branch that is gone is said: a review looks at the checkout, a writer begins anew', async () => {
	using yard = new PacketYard();
	await opened(yard, 'impl');
	yard.git('worktree', 'remove', '.tmp/worktree/impl');
	yard.git('branch', '-q', '-D', 'dispatch/impl');
	expect(await opened(yard, 'look', { task_type: 'review', based_on: 'impl' })).toMatchObject({
		dir: yard.dir,
		warnings: ['the branch dispatch/impl is gone; this packet looks at the checkout as it is'],
	});
	expect(await opened(yard, 'better', { task_type: 'improve', based_on: 'impl' })).toMatchObject({
		dir: yard.path('.tmp/worktree/impl'),
		warnings: ['the branch dispatch/impl was gone; it begins anew where the checkout stands'],
	});
	yard.packet('plan', { task_type: 'plan' });
	yard.packet('stuck', { based_on: 'plan', same_branch: true });
	expect(await open(yard, Manifest.parse({ task_id: 'stuck', goal: 'g', task_type: 'task', based_on: 'plan', same_branch: true }))).toEqual(
		{
			problem: 'same_branch: none of the packets it depends on has a branch to continue',
			status: 'invalid',
			fix: null,
		},
	);
});

test('a new worktree is prepared once; a preparation that failed is done again', async () => {
	using yard = new PacketYard();
	yard.packet('impl');
	const manifest = Manifest.parse({ task_id: 'impl', goal: 'g', task_type: 'implement' });
	const failing = ['echo one >> ../../setup.log', 'echo no lockfile; exit 3'];
	expect(await open(yard, manifest, { setup: failing })).toEqual({
		problem: 'worktree_setup: echo no lockfile; exit 3 ended with exit 3\nno lockfile',
		status: 'needs_human',
		fix: 'make worktree_setup succeed in .tmp/worktree/impl: echo no lockfile; exit 3',
	});
	for (let n = 0; n < 2; n++) expect(await open(yard, manifest, { setup: ['echo two >> ../../setup.log'] })).toHaveProperty('dir');
	expect(readFileSync(yard.path('.tmp/setup.log'), 'utf8')).toBe('one\ntwo\n');
});

test('a packet that points at a directory of its choice is not followed', async () => {
	using yard = new PacketYard();
	mkdirSync(join(yard.home, 'outside'));
	for (const path of ['../outside', '.tmp/worktree/../../../outside', '/etc', '.tmp/worktree/']) {
		yard.packet('evil');
		yard.workedIn('evil', { mode: 'worktree', branch: 'main', base: null, path });
		expect(await opened(yard, 'look', { task_type: 'review', based_on: 'evil' })).toMatchObject({ dir: yard.dir, warnings: [] });
	}
});

test('outside git a reading packet runs with a warning and a writing one does not', async () => {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-nogit-'));
	try {
		const manifest = Manifest.parse({ task_id: 'x', goal: 'g', task_type: 'review' });
		expect(await open({ dir }, manifest)).toMatchObject({
			dir,
			git: false,
			warnings: ['not in a git repository: whether a servant changed something cannot be seen'],
		});
		expect(await open({ dir }, { ...manifest, task_type: 'task' })).toEqual({
			problem: 'this is not a git repository, and the packet writes: run git init and make a first commit',
			status: 'invalid',
			fix: 'run git init && git commit --allow-empty -m start',
		});
	} finally {
		rmSync(dir, { recursive: true });
	}
});

test('a packet continues in the worktree of one whose workspace.json is gone', async () => {
	using yard = new PacketYard();
	const before = await opened(yard, 'impl');
	rmSync(packetNames(yard.dir, 'impl').workspace);
	expect(await opened(yard, 'look', { task_type: 'review', based_on: 'impl' })).toEqual(before);
	expect(await opened(yard, 'next', { based_on: 'impl', same_branch: true })).toEqual(before);
});
