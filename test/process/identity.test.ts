import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { identityOf, ownIdentity, rowOf, sameProcessAlive } from '../../src/process/identity.ts';
import { parseStat } from '../../src/process/process-stat.ts';
import { parsePs } from '../../src/process/ps-table.ts';
import { isRunning, until, Zoo } from './zoo.ts';

test('we are alive under our own identity, and every part of it counts', () => {
	const own = ownIdentity();
	expect(own.pid).toBe(process.pid);
	expect(own.start_time).toMatch(/^\d+$/);
	expect(own.boot_id).toMatch(/^[0-9a-f-]{36}$/);
	expect(sameProcessAlive(own)).toBe('alive');
	expect(sameProcessAlive({ ...own, start_time: '1' })).toBe('dead'); // the number was given to another
	expect(sameProcessAlive({ ...own, boot_id: 'before the reboot' })).toBe('dead');
	expect(sameProcessAlive({ ...own, host: 'elsewhere' })).toBe('unknown');
	expect(sameProcessAlive({ ...own, pid_namespace: 'pid:[1]' })).toBe('unknown');
	expect(sameProcessAlive({ ...own, start_time: '' })).toBe('unknown');
	expect(sameProcessAlive({ ...own, pid: 2 ** 30 })).toBe('dead');
	expect(sameProcessAlive({ ...own, pid: -1 })).toBe('dead');
	expect(sameProcessAlive({ ...own, pid: 0.5 })).toBe('dead');
});

test('a zombie is dead', async () => {
	await using zoo = await Zoo.create();
	// The shell becomes a sleep that never waits for the child it inherits.
	const parent = spawn('/bin/sh', ['-c', `sh -c 'echo $$ >${zoo.path('child')}' & exec sleep 60`], { stdio: 'ignore' });
	try {
		const child = await zoo.pid('child');
		await until(() => !isRunning(child), 'the zombie');
		expect(() => process.kill(child, 0)).not.toThrow();
		expect(identityOf(child)).toBeNull();
		const row = rowOf(child);
		expect(row?.state).toBe('Z');
		expect(sameProcessAlive({ ...ownIdentity(), pid: child, start_time: row?.startTime ?? '' })).toBe('dead');
	} finally {
		parent.kill('SIGKILL');
	}
});

test('a program name with parentheses and blanks does not shift the fields', () => {
	const stat = `77 (a) b (c) S 1 70 60 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2621440 200`;
	expect(parseStat(`${stat}\n`)).toEqual({ pid: 77, ppid: 1, pgid: 70, sid: 60, startTime: '987654', state: 'S' });
	expect(parseStat('77 (a')).toBeNull();
	expect(parseStat('')).toBeNull();
});

test('where there is no /proc the same is read from ps', () => {
	const text = '  501     1   501 Ss   Thu Nov  5 08:01:02 2026\n  777   501   501 Z    Thu Nov  5 08:01:03 2026\n\n';
	expect(parsePs(text)).toEqual([
		{ pid: 501, ppid: 1, pgid: 501, sid: null, startTime: 'Thu Nov 5 08:01:02 2026', state: 'S' },
		{ pid: 777, ppid: 501, pgid: 501, sid: null, startTime: 'Thu Nov 5 08:01:03 2026', state: 'Z' },
	]);
});

test('asking whether a process lives costs far less than a millisecond', () => {
	const own = ownIdentity();
	const began = performance.now();
	for (let i = 0; i < 200; i++) sameProcessAlive(own);
	expect((performance.now() - began) / 200).toBeLessThan(1);
});
