import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GuardRequest, removeDeadGuards, takeSlot, takeTree } from '../../src/packet/guards.ts';
import { identityOf, ownIdentity, sameProcessAlive } from '../../src/process/identity.ts';

class Project implements Disposable {
	readonly root = mkdtempSync(join(tmpdir(), 'dispatch-guards-'));
	readonly request: GuardRequest = {
		root: this.root,
		self: ownIdentity(),
		command: 'test',
		now: () => new Date().toISOString(),
		liveness: sameProcessAlive,
	};

	files(): string[] {
		return readdirSync(this.root, { recursive: true, encoding: 'utf8' }).filter((path) => /trees\/.*\/(lock|\.lock\..*)$/.test(path));
	}

	readers(): string[] {
		return readdirSync(this.root, { recursive: true, encoding: 'utf8' }).filter((path) => /\/reader-[^/]*$/.test(path));
	}

	[Symbol.dispose](): void {
		rmSync(this.root, { recursive: true, force: true });
	}
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve));

test('readers of one process share a lock, and a writer waits for the last of them', async () => {
	using project = new Project();
	const [one, two] = ['read', 'read'].map(() => takeTree(project.request, '/tree', 'read')!);
	expect(project.files()).toHaveLength(1);
	one!.release();
	await aTurn();
	expect(takeTree(project.request, '/tree', 'write')).toBeNull();
	two!.release();
	// The next reader of a chain comes at once, and finds the lock still there.
	const before = project.files();
	const three = takeTree(project.request, '/tree', 'read')!;
	expect(project.files()).toEqual(before);
	await aTurn();
	expect(takeTree(project.request, '/tree', 'write')).toBeNull();
	three.release();
	await aTurn();
	expect(project.readers()).toEqual([]);
	const writer = takeTree(project.request, '/tree', 'write')!;
	expect(takeTree(project.request, '/tree', 'read')).toBeNull();
	expect(takeTree(project.request, '/other', 'read')).not.toBeNull();
	writer.release();
	expect(takeTree(project.request, '/tree', 'read')).not.toBeNull();
});

test('what dead readers left, be it a draft of their lock, is removed; what the living hold is not', async () => {
	using project = new Project();
	const living = takeTree(project.request, '/tree', 'read')!;
	const [held] = project.readers();
	const home = join(project.root, held!, '..');
	const dead = { ...project.request.self, pid: 999_999_999, token: 'ab'.repeat(12), since: 'x', command: 'y' };
	for (const [reader, file] of [
		['reader-1-a', 'lock'],
		['reader-2-b', '.lock.0123456789ab.tmp'],
	]) {
		mkdirSync(join(home, reader!));
		writeFileSync(join(home, reader!, file!), `${JSON.stringify(dead)}\n`);
	}
	mkdirSync(join(home, 'reader-3-c'));
	removeDeadGuards(project.request);
	// An empty one may have been made a moment ago, by somebody who comes back with his lock.
	expect(project.readers().sort()).toEqual([held!, join(held!, '..', 'reader-3-c')].sort());
	removeDeadGuards({ ...project.request, now: () => new Date(Date.now() + 120_000).toISOString() });
	expect(project.readers()).toEqual([held]);
	living.release();
});

const dead = { pid: 999_999_999 };

/** A wrapper that goes on when its dispatcher is gone, as a process that lives as long as the test wants. */
class Wrapper implements AsyncDisposable {
	readonly child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] });
	readonly identity = identityOf(this.child.pid!)!;

	async end(): Promise<void> {
		const gone = new Promise((resolve) => this.child.once('exit', resolve));
		this.child.stdin.end();
		await gone;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.child.exitCode === null) await this.end();
	}
}

for (const how of ['killed', 'told to go']) {
	for (const access of ['read', 'write'] as const) {
		test(`a wrapper whose dispatcher was ${how} holds the tree for ${access} until it ends`, async () => {
			using project = new Project();
			await using wrapper = new Wrapper();
			const earlier = { ...project.request, self: { ...project.request.self, ...(how === 'killed' ? dead : {}) } };
			const guard = takeTree(earlier, '/tree', access)!;
			guard.name(wrapper.identity);
			if (how === 'killed' && access === 'read') await asIfDead(project);
			if (how === 'told to go') guard.leave();
			await aTurn();
			removeDeadGuards(project.request);
			expect(takeTree(project.request, '/tree', 'write')).toBeNull();
			const reader = takeTree(project.request, '/tree', 'read');
			expect(reader === null).toBe(access === 'write');
			reader?.release();
			await aTurn();
			await wrapper.end();
			takeTree(project.request, '/tree', 'write')!.release();
			removeDeadGuards(project.request);
			expect(project.files()).toEqual([]);
		});
	}
}

/** Its lock names nobody who lives, as after a kill -9. */
async function asIfDead(project: Project): Promise<void> {
	const lock = project.files().find((path) => path.includes('reader-'))!;
	const file = join(project.root, lock);
	writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...dead }));
}

test('who adopts a wrapper takes its places over, and nobody else gets them meanwhile', async () => {
	using project = new Project();
	await using wrapper = new Wrapper();
	const gone = { ...project.request, self: { ...project.request.self, ...dead } };
	const [tree, slot] = [takeTree(gone, '/tree', 'write')!, takeSlot(gone, 'codex', 2)!];
	for (const guard of [tree, slot]) guard.name(wrapper.identity);
	const other = takeSlot(project.request, 'codex', 2)!;
	expect(takeSlot(project.request, 'codex', 2)).toBeNull();

	const adopting = { ...project.request, adopted: wrapper.identity };
	const adopted = [takeTree(adopting, '/tree', 'write'), takeSlot(adopting, 'codex', 2)];
	expect(adopted).not.toContain(null);
	expect([takeTree(project.request, '/tree', 'read'), takeSlot(project.request, 'codex', 2)]).toEqual([null, null]);
	for (const guard of [...adopted, other]) guard!.release();
	await aTurn();
	expect(takeTree(project.request, '/tree', 'write')).not.toBeNull();
});
