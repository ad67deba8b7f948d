import { readdirSync, readFileSync } from 'node:fs';
import { isDead, type ProcessRow, readStat } from './process-stat.ts';
import { psHolding, psRows } from './ps-table.ts';

/**
 * Every living process of this pid namespace; zombies and kernel threads are left out. Of those that began before `since` (a start
 * time) the row may be some seconds old: they are there to be told apart from others, not to be acted upon.
 */
export function scanProcesses(since = Number.NaN): ProcessRow[] {
	const rows = process.platform === 'linux' ? procRows(since) : psRows();
	return rows.filter((row) => !isDead(row) && row.pgid > 0);
}

/** Tells which processes were started with this token in their environment. Sees only what the kernel lets us: our own, or all as root. */
export function tokenTest(token: string): (row: ProcessRow) => boolean {
	const entry = `DISPATCH_ATTEMPT=${token}`;
	if (process.platform === 'linux') return (row) => holdsEntry(`/proc/${row.pid}/environ`, entry);
	const found = psHolding(entry);
	return (row) => found.has(row.pid);
}

/** Tells which processes are the wrapper's own shells: the one that waits, and its watchdog. */
export function wrapperShellTest(token: string): (row: ProcessRow) => boolean {
	const name = `dispatch-${token}`;
	if (process.platform === 'linux') return (row) => holdsEntry(`/proc/${row.pid}/cmdline`, name);
	const found = psHolding(name);
	return (row) => found.has(row.pid);
}

/**
 * The numbers that were given out after this process got its own, if they are few; null if that cannot be told. Linux gives them in turn and
 * says which was the last. (Threads have some of them.)
 */
export function numbersSince(pid: number): number[] | null {
	if (process.platform !== 'linux') return null;
	const last = Number(/(\d+)\s*$/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1]);
	// Begun again from the lowest.
	if (!(last >= pid && last - pid <= mostNumbers)) return null;
	return Array.from({ length: last - pid + 1 }, (_, n) => pid + n);
}

const mostNumbers = 64;

/**
 * What was read of processes lately. Most of a machine's table is there for long: kernel threads, and programs older than the attempt
 * that is looked for. Reading them again at each look would cost more than all other work of a short stage.
 */
let lately = { rows: new Map<number, ProcessRow>(), until: 0 };
const latelyMs = 2000;

function procRows(since: number): ProcessRow[] {
	const now = performance.now();
	if (now > lately.until) lately = { rows: new Map(), until: now + latelyMs };
	return readdirSync('/proc').flatMap((name) => {
		const first = name.charCodeAt(0);
		const pid = first >= 48 && first <= 57 ? Number(name) : 0;
		if (pid === 0) return [];
		const known = lately.rows.get(pid);
		if (known !== undefined && (known.pgid === 0 || Number(known.startTime) < since)) return [known];
		const row = readStat(pid);
		if (row === null) return [];
		lately.rows.set(pid, row);
		return [row];
	});
}

/** Whether a NUL-separated file of /proc has exactly this entry. */
function holdsEntry(file: string, entry: string): boolean {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch {
		return false;
	}
	for (let at = bytes.indexOf(entry); at >= 0; at = bytes.indexOf(entry, at + 1)) {
		const end = at + Buffer.byteLength(entry);
		if ((at === 0 || bytes[at - 1] === 0) && (end === bytes.length || bytes[end] === 0)) return true;
	}
	return false;
}
