/** Derived state and summary, made anew from the journal. */
export interface Settle {
	readonly now: () => void;
	/** While the next stage waits for the disk, and before its servant starts; or after a moment, if there is none. */
	readonly soon: () => Promise<void>;
	readonly ifDue: () => void;
}

const momentMs = 30;

export function makeSettle(write: () => void): Settle {
	let due: { readonly settled: Promise<void>; readonly begin: () => void } | null = null;
	const soon = () => {
		if (due !== null) return due.settled;
		let begin = () => {};
		const settled = new Promise<void>((resolve, reject) => {
			begin = () => {
				clearTimeout(timer);
				due = null;
				try {
					write();
					resolve();
				} catch (error) {
					reject(error);
				}
			};
		});
		const timer = setTimeout(begin, momentMs);
		due = { settled, begin };
		return settled;
	};
	return { now: write, soon, ifDue: () => due?.begin() };
}
