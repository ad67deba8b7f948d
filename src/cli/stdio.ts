import { fstatSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

type Name = 'stdout' | 'stderr';
const opened = new Set<Name>();

/** What can no longer be written to, and why. */
const lost = new Map<Name, string>();

/** Node's own stream, for who asks what kind of terminal it is. */
export function stdio(name: Name): NodeJS.WriteStream {
	const stream = process[name];
	if (!opened.has(name)) {
		opened.add(name);
		stream.on('error', (error: NodeJS.ErrnoException) => lose(name, error));
	}
	return stream;
}

/** Nobody can be told any more; that must not end a run. `dispatch status | head -1` is no error at all. */
function lose(name: Name, { code = 'EIO', message }: NodeJS.ErrnoException): void {
	if (lost.has(name)) return;
	lost.set(name, code);
	if (isOutputLost()) write('stderr', `dispatch: the output is lost: ${message.split(',')[0]}\n`);
}

/** A reader that went away, or a terminal that was closed, wanted no more; a disk that was full wanted all. */
export const isOutputLost = (): boolean => !['EPIPE', 'EIO', undefined].includes(lost.get('stdout'));

/** Of a file, a pipe and the null device it is known without node's tty module, which takes longer to load than many a command needs. */
export function isTerminal(fd: number): boolean {
	try {
		const stat = fstatSync(fd);
		return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev && isatty(fd);
	} catch {
		return false;
	}
}

/** Of the window that is written to; null where there is none. */
export const windowColumns = (): number | null => (isTerminal(1) ? stdio('stdout').columns || null : null);

/** Whether nothing can still be on its way: only streams keep what they could not write at once. */
export const isAllWritten = (): boolean => opened.size === 0;

/** Writes without the stream as long as nobody has opened it: making one takes longer than many a command needs for all the rest. */
export function write(name: Name, text: string): void {
	if (lost.has(name)) return;
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; ) {
		if (opened.has(name)) {
			stdio(name).write(bytes.subarray(at));
			return;
		}
		try {
			at += writeSync(name === 'stdout' ? 1 : 2, bytes, at);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code !== 'EAGAIN' && code !== 'EBADF') {
				lose(name, error as NodeJS.ErrnoException);
				return;
			}
			// A pipe that is full and does not wait, or a closed descriptor: the stream knows what to do.
			stdio(name);
		}
	}
}
