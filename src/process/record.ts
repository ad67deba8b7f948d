import { randomBytes } from 'node:crypto';
import { closeSync, constants, linkSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseStat } from './process-stat.ts';
import { signalOfCode } from './signal-of-code.ts';

/** What a wrapper's record says. */
export interface RecordState {
	/** `none`: no file · `empty`: claimed, but no whole line yet · `garbled`: there, and not ours to understand. */
	readonly state: 'none' | 'empty' | 'started' | 'exited' | 'cancelled' | 'garbled';
	readonly pid: number | null;
	readonly startTime: string | null;
	readonly exitCode: number | null;
	/** The other reading of an exit code 129–143: sh cannot tell the two apart. */
	readonly signal: NodeJS.Signals | null;
	/** The wrapper's own watchdog ended the attempt. */
	readonly limitHit: boolean;
}

export function readRecord(file: string): RecordState {
	const text = readRegularFile(file);
	if (text === null) return { ...nothing, state: 'none' };
	if (text === undefined) return { ...nothing, state: 'garbled' };
	// What follows the last newline is still being written.
	const [first, ...rest] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
	if (first === '' && rest.length === 0) return { ...nothing, state: 'empty' };
	if (first === 'cancelled') return { ...nothing, state: 'cancelled' };
	const start = first?.startsWith('start ') ? readStart(first.slice('start '.length)) : null;
	if (!start) return { ...nothing, state: 'garbled' };
	const exit = rest.map((line) => /^exit (\d{1,3})$/.exec(line)).find((match) => match !== null);
	const exitCode = exit ? Number(exit[1]) : null;
	return {
		state: exitCode === null ? 'started' : 'exited',
		...start,
		exitCode,
		signal: exitCode === null ? null : signalOfCode(exitCode),
		limitHit: rest.includes('limit'),
	};
}

/** Takes the record before any wrapper can: `cancelled` proves that the servant was not and will never be run. */
export function cancelRecord(file: string): 'cancelled' | 'exists' | 'failed' {
	// Linked into place when it is whole: an empty record would say that somebody else has claimed it.
	const draft = join(dirname(file), `.record.${randomBytes(6).toString('hex')}.tmp`);
	try {
		writeFileSync(draft, 'cancelled\n', { flag: 'wx', mode: 0o600 });
		linkSync(draft, file);
		return 'cancelled';
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'exists' : 'failed';
	} finally {
		rmSync(draft, { force: true });
	}
}

const nothing = { pid: null, startTime: null, exitCode: null, signal: null, limitHit: false };

/** A line of /proc/<pid>/stat, or `<pid> (sh) lstart <when>` where there is none. */
function readStart(text: string): { pid: number; startTime: string | null } | null {
	const fromPs = /^(\d+) \(sh\) lstart (.*)$/.exec(text);
	if (fromPs) return { pid: Number(fromPs[1]), startTime: fromPs[2]?.trim().replace(/\s+/g, ' ') || null };
	const row = parseStat(text);
	return row && { pid: row.pid, startTime: row.startTime };
}

/** A few lines; one buffer for all records. */
const lines = Buffer.allocUnsafe(64 * 1024);

/** null = no such file; undefined = there, but not readable as one. Never waits: a FIFO cannot be read at a position. */
function readRegularFile(file: string): string | null | undefined {
	let fd: number | undefined;
	try {
		fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
		return lines.toString('latin1', 0, readSync(fd, lines, 0, lines.length, 0));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}
