import { dirname } from 'node:path';
import { lockOwner } from '../packet/lock.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { pause } from '../process/pause.ts';

/** Until nobody who could be alive holds the lock; false when that takes too long. */
export async function released(lock: string, timeoutMs: number | null): Promise<boolean> {
	const isFree = () => {
		const holder = lockOwner(lock, sameProcessAlive);
		return holder === null || holder.alive === 'dead';
	};
	if (isFree()) return true;
	const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
	// The kernel says when the lock goes; that its owner died without removing it only a look can tell.
	const { watch } = await import('chokidar');
	const folder = watch(dirname(lock), { depth: 0, ignoreInitial: true, ignored: (path) => path !== lock && path !== dirname(lock) });
	try {
		for (;;) {
			const woken = new AbortController();
			const wake = () => woken.abort();
			folder.once('all', wake);
			await pause(Math.max(0, Math.min(500, deadline - performance.now())), woken.signal);
			folder.off('all', wake);
			if (isFree()) return true;
			if (performance.now() >= deadline) return false;
		}
	} finally {
		await folder.close();
	}
}
