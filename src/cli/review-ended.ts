import type { ProcessIdentity } from '../contract/state-files.ts';
import { lockOwner } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { pause } from '../process/pause.ts';
import { reviewsOf } from '../queue/auto-review.ts';
import { entryOf } from '../queue/packet-index.ts';
import { reviewWord } from '../queue/review-word.ts';
import { released } from './released.ts';

/** A run begins the review at once; a queue whose purse is empty leaves it for later, and lives on. */
const mostToBeginMs = 3000;

/**
 * Until the review of a completed packet has ended and its summary tells of it: that belongs to the run that `owner` makes. Between the
 * two nobody holds a lock. False when it takes too long.
 */
export async function reviewEnded(names: PacketNames, owner: ProcessIdentity | null, timeoutMs: number | null): Promise<boolean> {
	const began = performance.now();
	let runner = owner;
	let since = began;
	while (isAwaited(names)) {
		const review = reviewsOf(names.root, names.id).at(-1);
		if (review?.status === 'in_progress') {
			const { lock } = packetNames(names.root, review.id);
			runner = ownerOf(lock) ?? runner;
			const left = timeoutMs === null ? null : Math.max(0, timeoutMs - (performance.now() - began));
			if (!(await released(lock, left))) return false;
			since = performance.now();
		}
		if (runner === null || sameProcessAlive(runner) === 'dead' || performance.now() - since > mostToBeginMs) return true;
		await pause(20);
	}
	return true;
}

export const ownerOf = (lock: string): ProcessIdentity | null => {
	const holder = lockOwner(lock, sameProcessAlive);
	return holder === null || holder.alive === 'dead' ? null : holder.owner;
};

function isAwaited(names: PacketNames): boolean {
	const entry = entryOf(names.root, names.id);
	if (entry?.status !== 'completed' || !entry.createReview) return false;
	const word = reviewWord(names.root, names.id);
	return word === null || readText(names.summary, 1024 * 1024)?.includes(word.line) !== true;
}
