import type { BigIntStats } from 'node:fs';
import { wouldShow } from './imprint.ts';

/** What was made of files, by their paths, for as long as their inodes and times are the same. */
const known = new Map<string, { readonly times: string; readonly made: string }>();
const mostKnown = 4096;

/** What is made of a file's bytes: anew, unless they are those of the last time. `stat` was taken before. */
export function madeOf<P extends Buffer | string>(path: P, stat: BigIntStats, make: (path: P) => string | null): string | null {
	const name = typeof path === 'string' ? path : `bytes ${path.toString('latin1')}`;
	const times = timesOf(stat);
	const before = known.get(name);
	if (before?.times === times) return before.made;
	const beganMs = Date.now();
	const made = make(path);
	if (known.size >= mostKnown) known.clear();
	// What is written after we have looked must show in the times.
	if (made !== null && wouldShow({ newestMs: Number(stat.ctimeMs) }, beganMs)) known.set(name, { times, made });
	else known.delete(name);
	return made;
}

export const timesOf = (stat: BigIntStats): string => `${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.ino}`;
