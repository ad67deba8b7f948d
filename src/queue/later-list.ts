/** Packets that somebody else held when we came: looked at again after a while that doubles, and given up in the end. */
export class LaterList {
	readonly #waits = new Map<string, { readonly tries: number; readonly until: number }>();

	/** False: tried often enough. */
	add(id: string): boolean {
		const tries = (this.#waits.get(id)?.tries ?? 0) + 1;
		this.#waits.set(id, { tries, until: performance.now() + 50 * 2 ** tries });
		if (tries <= mostTries) return true;
		this.#waits.delete(id);
		return false;
	}

	holds(id: string): boolean {
		return (this.#waits.get(id)?.until ?? 0) > performance.now();
	}

	nextAt(): number {
		const now = performance.now();
		return Math.min(Number.POSITIVE_INFINITY, ...[...this.#waits.values()].map((wait) => wait.until).filter((until) => until > now));
	}

	keepOnly(ids: ReadonlySet<string>): void {
		for (const id of this.#waits.keys()) if (!ids.has(id)) this.#waits.delete(id);
	}
}

/** About six seconds in all: longer than any command holds a packet that it does not run. */
const mostTries = 6;
