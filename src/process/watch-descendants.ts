import { existsSync } from 'node:fs';
import { uptime } from 'node:os';
import { rowOf } from './identity.ts';
import { isDead, type ProcessRow, readStat } from './process-stat.ts';
import { numbersSince, scanProcesses, tokenTest } from './process-table.ts';

/**
 * Remembers what belongs to an attempt. Agent CLIs put their tools into groups and sessions of their own, orphans are
 * given to init, and an environment can be emptied: each look adds what is reachable from what was known before,
 * so looking every few seconds finds what a single look at the end would not.
 */
export interface Descendants {
	readonly token: string;
	/** Everything of the attempt that lives now, the root included. */
	readonly look: () => readonly ProcessRow[];
	/** The same, sooner told of an attempt that was brief. */
	readonly glance: () => readonly ProcessRow[];
	readonly stop: () => void;
}

export function watchDescendants({
	token,
	root,
	intervalMs = 3000,
}: {
	readonly token: string;
	/** The process everything began with; null when only the token is left to go by. */
	readonly root: { readonly pid: number; readonly startTime: string | null } | null;
	/** null = only when asked. */
	readonly intervalMs?: number | null;
}): Descendants {
	let known: Known = { started: new Map(root?.startTime ? [[root.pid, root.startTime]] : []), groups: new Set(), sessions: new Set() };
	const since = root?.startTime ? Number(root.startTime) : Number.NaN;
	const look = () => {
		const rows = scanProcesses(since).filter(isForeign());
		const carries = tokenTest(token);
		// What is older than the root cannot have got the token from it; most of a machine need not be looked at.
		const members = belonging(rows, known, (row) => !(Number(row.startTime) < since) && carries(row));
		// What no longer lives is forgotten, or its number would stand for somebody else one day.
		known = remember(members);
		return members;
	};
	const glance = () => {
		// Without a start time this is no number, and nothing is known.
		const isBrief = uptime() - since / ticksPerSec <= briefSec;
		const numbers = root !== null && isBrief ? numbersSince(root.pid) : null;
		if (numbers === null) return look();
		const young = rowsOf(numbers);
		// A group or a session may be older than whoever joined it.
		const leaders = rowsOf(new Set(young.flatMap((row) => [row.pgid, row.sid ?? row.pgid]).filter((pid) => !numbers.includes(pid))));
		return belonging([...young, ...leaders].filter(isForeign()), known, tokenTest(token));
	};
	const timer = intervalMs === null ? null : lookNow(look, intervalMs);
	return { token, look, glance, stop: () => timer?.stop() };
}

/** In so short a time no machine gives out all its numbers once more. */
const briefSec = 0.25;

/** Of start times; the same on every Linux. */
const ticksPerSec = 100;

const rowsOf = (pids: Iterable<number>): ProcessRow[] =>
	[...pids].flatMap((pid) => {
		const row = existsSync(`/proc/${pid}`) ? readStat(pid) : null;
		return row === null || isDead(row) ? [] : [row];
	});

interface Known {
	/** pid → start time */
	readonly started: ReadonlyMap<number, string>;
	readonly groups: ReadonlySet<number>;
	readonly sessions: ReadonlySet<number>;
}

const remember = (members: readonly ProcessRow[]): Known => ({
	started: new Map(members.map((row) => [row.pid, row.startTime])),
	groups: new Set(members.map((row) => row.pgid)),
	sessions: new Set(members.flatMap((row) => (row.sid ? [row.sid] : []))),
});

/** What is known, carries the token, or is child, group or session of such. */
export function belonging(rows: readonly ProcessRow[], known: Known, carries: (row: ProcessRow) => boolean): ProcessRow[] {
	const living = new Map(rows.map((row) => [row.pid, row]));
	const members = new Map<number, ProcessRow>();
	const groups = new Set(known.groups);
	const sessions = new Set(known.sessions);
	// A group or session counts only if its leader is one of ours or gone: somebody may have put our token into a shell by hand.
	const counts = (leader: number) => members.has(leader) || !living.has(leader);
	const add = (row: ProcessRow) => {
		members.set(row.pid, row);
		groups.add(row.pgid);
		if (row.sid) sessions.add(row.sid);
	};
	for (const row of rows) if (known.started.get(row.pid) === row.startTime || carries(row)) add(row);
	for (let before = -1; before !== members.size; ) {
		before = members.size;
		for (const row of rows) {
			if (members.has(row.pid)) continue;
			const inGroup = groups.has(row.pgid) && counts(row.pgid);
			const inSession = row.sid !== null && sessions.has(row.sid) && counts(row.sid);
			if (members.has(row.ppid) || inGroup || inSession) add(row);
		}
	}
	return [...members.values()];
}

/** Never init, never ourselves, never our own group or session. */
function isForeign(): (row: ProcessRow) => boolean {
	const own = rowOf(process.pid);
	return (row) => row.pid > 1 && row.pid !== process.pid && row.pgid !== own?.pgid && (row.sid === null || row.sid !== own?.sid);
}

/** Soon at first, because what forks away does so early; then at leisure. */
function lookNow(look: () => void, intervalMs: number): { stop: () => void } {
	let timer: NodeJS.Timeout;
	const again = (afterMs: number) => {
		timer = setTimeout(() => {
			look();
			again(Math.min(intervalMs, afterMs * 2));
		}, afterMs).unref();
	};
	again(Math.min(intervalMs, 250));
	return { stop: () => clearTimeout(timer) };
}
