import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GuardRequest, removeDeadGuards, takeTree } from '../../src/packet/guards.ts';
import { ownIdentity, sameProcessAlive } from '../../src/process/identity.ts';

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
