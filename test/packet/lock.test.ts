import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireLock, lockOwner } from '../../src/packet/lock.ts';
import { ownIdentity, sameProcessAlive } from '../../src/process/identity.ts';

test('a lock carries its schema, and one of an earlier version, without it, is understood', () => {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-lock-'));
	onTestFinished(() => rmSync(dir, { recursive: true }));
	const file = join(dir, 'lock');
	const taken = acquireLock({
		file,
		self: ownIdentity(),
		command: 'dispatch run',
		now: '2026-03-01T12:00:00Z',
		liveness: sameProcessAlive,
	});
	expect(taken.ok).toBe(true);
	const { schema, ...earlier } = JSON.parse(readFileSync(file, 'utf8'));
	expect(schema).toBe(1);
	writeFileSync(file, JSON.stringify(earlier));
	expect(lockOwner(file, sameProcessAlive)).toEqual({ owner: earlier, alive: 'alive' });
});
