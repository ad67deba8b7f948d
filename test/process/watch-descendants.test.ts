import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { expect, test, vi } from 'vitest';
import type { ProcessRow } from '../../src/process/process-stat.ts';
import { numbersSince, scanProcesses } from '../../src/process/process-table.ts';
import { belonging, watchDescendants } from '../../src/process/watch-descendants.ts';
import { until, Zoo } from './zoo.ts';

const row = (pid: number, ppid: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
	pid,
	ppid,
	pgid: pid,
	sid: pid,
	startTime: `t${pid}`,
	state: 'S',
	...more,
});
const known = (started: [number, string][] = [], groups: number[] = []) => ({
	started: new Map(started),
	groups: new Set(groups),
	sessions: new Set<number>(),
});
const none = () => false;
const pids = (rows: ProcessRow[]) => rows.map(({ pid }) => pid).sort((a, b) => a - b);

test('children of children belong, listed in any order', () => {
	const rows = [row(30, 20), row(20, 10), row(10, 1), row(40, 1)];
	expect(pids(belonging(rows, known([[10, 't10']]), none))).toEqual([10, 20, 30]);
});

test('a number that was given to another process is not followed', () => {
	const rows = [row(10, 1, { startTime: 'later' }), row(20, 10)];
	expect(belonging(rows, known([[10, 't10']]), none)).toEqual([]);
});

test('an orphan in the group of a leader that is gone belongs, unless the leader’s number is somebody else’s by now', () => {
	const orphan = row(21, 1, { pgid: 20, sid: 20 });
	expect(pids(belonging([orphan], known([], [20]), none))).toEqual([21]);
	expect(pids(belonging([orphan, row(20, 1)], known([], [20]), none))).toEqual([]);
});

test('a token put into a user’s own terminal by hand does not doom the terminal', () => {
	const shell = row(50, 1);
	const withToken = row(51, 50, { pgid: 51, sid: 50 });
	const neighbour = row(52, 50, { pgid: 52, sid: 50 });
	expect(pids(belonging([shell, withToken, neighbour], known(), (each) => each === withToken))).toEqual([51]);
});

test('we ourselves are never part of an attempt, even when its token is ours', async () => {
	const own = scanProcesses().find(({ pid }) => pid === process.pid)!;
	const remembered = watchDescendants({ token: 'x', root: { pid: process.pid, startTime: own.startTime }, intervalMs: null });
	expect(remembered.look().map(({ pid }) => pid)).not.toContain(process.pid);
});

test('looking by itself every few seconds, it remembers a session whose leader has left a child behind', async () => {
	await using zoo = await Zoo.create();
	const flee = 'echo \\$\\$ >$ZOO/up; while [ ! -e $ZOO/go ]; do sleep 0.02; done; sleep 60 & echo \\$! >$ZOO/left';
	const wrapper = await zoo.start(`env -i setsid sh -c "${flee}" & wait; sleep 60`);
	await zoo.pid('up');
	vi.useFakeTimers();
	const remembered = watchDescendants({ token: zoo.token, root: wrapper });
	vi.advanceTimersByTime(3000);
	vi.useRealTimers();
	await zoo.animal('go', '');
	const left = await zoo.pid('left');
	remembered.stop();
	expect(remembered.look().map(({ pid }) => pid)).toContain(left);
	process.kill(left, 'SIGKILL');
});

test('what is left of a brief attempt is told by the numbers given out since, without a look at all others', async () => {
	await using zoo = await Zoo.create();
	const escaping = 'setsid sh -c "echo \\$\\$ >$ZOO/left; exec sleep 60" & until [ -s "$ZOO/left" ]; do sleep 0.01; done';
	const wrapper = await zoo.start(escaping);
	await wrapper.exited;
	const left = await zoo.pid('left');
	// However long that took: as old as something that begins now.
	const brief = () => ({ pid: wrapper.pid, startTime: String(Math.floor(uptime() * 100)) });
	const glance = () => pids([...watchDescendants({ token: zoo.token, root: brief(), intervalMs: null }).glance()]);
	expect(glance()).toContain(left);
	process.kill(left, 'SIGKILL');
	await until(() => zoo.carriers.length === 0, 'all to be gone');
	expect(glance()).toEqual([]);
});

test('of an attempt that is not brief, a glance is a whole look', async () => {
	await using zoo = await Zoo.create();
	const wrapper = await zoo.start('sleep 60');
	const since = String(Math.floor(uptime() * 100) - 10_000);
	execFileSync('true');
	// Its numbers may have been given out anew since: this one is newer than what it started.
	const remembered = watchDescendants({ token: zoo.token, root: { pid: lastNumber(), startTime: since }, intervalMs: null });
	expect(pids([...remembered.glance()])).toContain(wrapper.pid);
});

const lastNumber = () => Number(/(\d+)\s*$/.exec(readFileSync('/proc/loadavg', 'latin1'))![1]);

test('which numbers were given out since is not said where they began anew, or are many', () => {
	const last = lastNumber();
	expect(numbersSince(last - 3)!.slice(0, 4)).toEqual([last - 3, last - 2, last - 1, last]);
	expect(numbersSince(last + 100_000)).toBeNull();
	expect(numbersSince(last - 1000)).toBeNull();
});
