import { sync } from '../packet/disk.ts';
import type { Settle } from './settle.ts';

/**
 * Where a run waits for the disk. What a stage leaves behind is owed: it goes to the disk at once, and is waited for together with the
 * reservation of the next stage, before that one's servant starts; or after a moment, if nobody comes. So neighbours wait once and not twice.
 */
export interface Barrier {
	/** These, and the journal, must be on disk before `then` may be done. State and summary are told with them. */
	readonly owe: (files: readonly string[], then?: () => void) => void;
	/** These go to the disk now; nobody waits for them before the next debt is paid. */
	readonly send: (files: readonly string[]) => void;
	/** When all that is owed now is paid. */
	readonly paid: () => Promise<void>;
	/** These, the journal and all that is owed are on disk, and what was to be done then is done. Never before an earlier barrier. */
	readonly reach: (files: readonly string[]) => Promise<void>;
	/** The barriers that somebody waits for now are passed, or failed: he will hear of that himself. */
	readonly latest: () => Promise<void>;
	/** State and summary are on disk as well. They are told when what they tell is; the next barrier and the end of a run wait for themselves. */
	readonly rest: () => Promise<void>;
	/** The run ends: what is not done by now is left to the next one. */
	readonly drop: () => void;
}

interface Debt {
	readonly flushed: Promise<void>;
	readonly then: () => void;
}

const momentMs = 10;

export function makeBarrier(journal: string, settle: Pick<Settle, 'draft'>, flush: typeof sync = sync): Barrier {
	let owed: Debt[] = [];
	let sent: Promise<void>[] = [];
	let last: Promise<void> = Promise.resolve();
	let telling: Promise<void> = Promise.resolve();
	const waiting: ((paid: Promise<void>) => void)[] = [];
	let timer: NodeJS.Timeout | undefined;
	let isOver = false;
	const takeOwed = () => {
		const debts = owed;
		clearTimeout(timer);
		owed = [];
		return debts;
	};
	/** Whoever waits for it is told; nobody may. */
	const begin = (files: readonly string[]): Promise<void> => {
		const flushed = flush(files);
		flushed.catch(() => undefined);
		return flushed;
	};
	const reach = (files: readonly string[]) => {
		last = pay(files, takeOwed(), last);
		// Whoever waits is told; who does not wait now comes to the next barrier, which this one then fails.
		last.catch(() => undefined);
		for (const tell of waiting.splice(0)) tell(last);
		return last;
	};
	const pay = async (files: readonly string[], debts: readonly Debt[], before: Promise<void>) => {
		const flushed = begin([journal, ...files]);
		// The disk works while we write.
		const told = debts.length === 0 ? null : settle.draft();
		const toldBefore = telling;
		const sentBefore = debts.length === 0 ? [] : sent;
		if (debts.length > 0) sent = [];
		if (told !== null) telling = begin(told.files);
		await Promise.all([before, toldBefore, ...sentBefore, ...debts.map((debt) => debt.flushed), flushed]);
		// Somebody else may own the packet by now.
		if (isOver) return;
		for (const debt of debts) debt.then();
		told?.publish();
	};
	return {
		owe: (files, then = () => undefined) => {
			owed.push({ flushed: begin(files), then });
			clearTimeout(timer);
			timer = setTimeout(() => void reach([]), momentMs);
		},
		send: (files) => void sent.push(begin(files)),
		paid: () => (owed.length === 0 ? last : new Promise((resolve) => waiting.push(resolve))),
		reach,
		latest: () => last.catch(() => undefined),
		rest: async () => {
			await last;
			await telling;
		},
		drop: () => {
			isOver = true;
			takeOwed();
		},
	};
}
