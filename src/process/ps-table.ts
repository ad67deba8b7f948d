import { execFileSync } from 'node:child_process';
import type { ProcessRow } from './process-stat.ts';

/** Where there is no /proc (macOS), the process table is asked of `ps`. */

const columns = 'pid=,ppid=,pgid=,stat=,lstart=';

export const psRow = (pid: number): ProcessRow | null => parsePs(ps(['-o', columns, '-p', String(pid)]))[0] ?? null;

export const psRows = (): ProcessRow[] => parsePs(ps(['-axo', columns]));

/** Numbers of the processes whose environment or command line holds `text`; macOS shows environments of one's own processes only. */
export function psHolding(text: string): Set<number> {
	const found = new Set<number>();
	for (const line of ps(['-axEwwo', 'pid=,command=']).split('\n')) {
		if (` ${line} `.includes(` ${text} `)) found.add(Number.parseInt(line, 10));
	}
	return found;
}

export function parsePs(text: string): ProcessRow[] {
	return text.split('\n').flatMap((line) => {
		const [pid, ppid, pgid, stat, ...started] = line.trim().split(/\s+/);
		if (started.length === 0 || !stat) return [];
		return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), sid: null, startTime: started.join(' '), state: stat.charAt(0) }];
	});
}

function ps(args: string[]): string {
	try {
		const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
		return execFileSync('ps', args, { encoding: 'utf8', env, maxBuffer: 64 << 20, stdio: ['ignore', 'pipe', 'ignore'] });
	} catch {
		return ''; // ps exits 1 when the process is gone
	}
}
