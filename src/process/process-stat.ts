import { closeSync, openSync, readSync } from 'node:fs';

/** What the kernel says about one process. */
export interface ProcessRow {
	readonly pid: number;
	readonly ppid: number;
	readonly pgid: number;
	/** null = this system does not tell. */
	readonly sid: number | null;
	/** Opaque: equal for the same process, different when its number was given to another. */
	readonly startTime: string;
	/** First letter as in `ps`: R, S, D, T, Z, X … */
	readonly state: string;
}

export const isDead = (row: Pick<ProcessRow, 'state'>): boolean => row.state === 'Z' || row.state === 'X' || row.state === 'x';

/** A line of /proc/<pid>/stat. The program's name stands in parentheses and may itself hold parentheses and spaces. */
export function parseStat(text: string): ProcessRow | null {
	const nameEnd = text.lastIndexOf(')');
	const pid = Number.parseInt(text, 10);
	if (nameEnd < 0 || !(pid > 0)) return null;
	const fields = text.slice(nameEnd + 2).split(' ');
	const startTime = fields[19];
	if (startTime === undefined || !/^\d+\s*$/.test(startTime)) return null;
	return {
		pid,
		ppid: Number(fields[1]),
		pgid: Number(fields[2]),
		sid: Number(fields[3]),
		startTime: startTime.trim(),
		state: fields[0] ?? '',
	};
}

/** One line, far below this size; one buffer for all, because a look reads hundreds of them. */
const line = Buffer.allocUnsafe(4096);

/** null = no such process (any more). Linux only. */
export function readStat(pid: number | 'self'): ProcessRow | null {
	let fd: number | undefined;
	try {
		fd = openSync(`/proc/${pid}/stat`, 'r');
		return parseStat(line.toString('latin1', 0, readSync(fd, line, 0, line.length, 0)));
	} catch {
		return null;
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}
