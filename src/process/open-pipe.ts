import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A real pipe. What node calls a pipe is a socket, and a script that writes to /dev/stderr cannot open a socket again:
 * it would fail under us and nowhere else. A file could be opened again, but also be truncated, and would grow without bound.
 */
export function openPipe(): { readonly readFd: number; readonly writeFd: number } {
	const folder = mkdtempSync(join(tmpdir(), 'dispatch-pipe-'));
	try {
		const fifo = join(folder, 'pipe');
		execFileSync('mkfifo', ['-m', '600', fifo], { stdio: 'ignore' });
		const readFd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
		try {
			return { readFd, writeFd: openSync(fifo, constants.O_WRONLY) };
		} catch (error) {
			closeSync(readFd);
			throw error;
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
