import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessIdentity } from '../contract/state-files.ts';
import { isDead, type ProcessRow, readStat } from './process-stat.ts';
import { psRow } from './ps-table.ts';

/** Who we are, for locks and reservations. */
export function ownIdentity(): ProcessIdentity {
	const self = identityOf(process.pid);
	return self ?? { pid: process.pid, start_time: '', ...here() };
}

/** Who lives under this number now; null = nobody (a zombie is nobody). */
export function identityOf(pid: number): ProcessIdentity | null {
	const row = rowOf(pid);
	return row && !isDead(row) ? { pid, start_time: row.startTime, ...here() } : null;
}

/** The row of one process, zombies included. */
export const rowOf = (pid: number): ProcessRow | null => (process.platform === 'linux' ? readStat(pid) : psRow(pid));

/** `unknown` when it cannot be looked up from here: another host, another pid namespace, or no start time to compare. */
export function sameProcessAlive(who: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
	const our = here();
	if (who.host !== our.host) return 'unknown';
	if (who.boot_id !== our.boot_id) return 'dead';
	if (who.pid_namespace !== our.pid_namespace) return 'unknown';
	const row = Number.isInteger(who.pid) && who.pid > 0 ? rowOf(who.pid) : null;
	if (!row || isDead(row)) return 'dead';
	if (who.start_time === '') return 'unknown';
	return row.startTime === who.start_time ? 'alive' : 'dead';
}

type Place = Pick<ProcessIdentity, 'boot_id' | 'pid_namespace' | 'host'>;
let place: Place | undefined;

function here(): Place {
	place ??= { boot_id: bootId(), pid_namespace: pidNamespace(), host: hostname() };
	return place;
}

function bootId(): string {
	if (process.platform === 'linux') return orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
	return orEmpty(() => execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim());
}

const pidNamespace = (): string => (process.platform === 'linux' ? orEmpty(() => readlinkSync('/proc/self/ns/pid')) : '');

function orEmpty(read: () => string): string {
	try {
		return read();
	} catch {
		return '';
	}
}
