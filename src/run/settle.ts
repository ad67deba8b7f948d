import { type Prepared, publish, remove } from '../packet/disk.ts';

/** Derived state and summary, made anew from the journal. */
export interface Settle {
	readonly now: () => void;
	/** Unless this run has told something already. */
	readonly once: () => void;
	/** Written beside their places, to be made durable first. */
	readonly draft: () => Draft;
}

export interface Draft {
	readonly files: readonly string[];
	/** Gives them their names, unless newer ones have taken them meanwhile. */
	readonly publish: () => void;
}

/** `unwaited`: what nobody need wait for, since it can be made again and nobody decides by it. */
export function makeSettle(write: () => readonly Prepared[], unwaited: readonly string[] = []): Settle {
	let newest = 0;
	const draft = (): Draft => {
		const mine = ++newest;
		const drafts = write();
		return {
			files: drafts.filter(({ file }) => !unwaited.includes(file)).map(({ temp }) => temp),
			publish: () => {
				if (mine === newest) publish(...drafts);
				else for (const { temp } of drafts) remove(temp);
			},
		};
	};
	const now = () => draft().publish();
	return { now, once: () => (newest === 0 ? now() : undefined), draft };
}
