/**
 * How a run is told to stop: gently (end everything and say so), at once (no grace), or by leaving (the wrappers live on for adoption).
 * The shell turns signals into these; the run only looks.
 */
export interface Halt {
	readonly gently: AbortSignal;
	readonly atOnce: AbortSignal;
	readonly leave: AbortSignal;
}

export class HaltSwitch implements Halt {
	readonly #gently = new AbortController();
	readonly #atOnce = new AbortController();
	readonly #leave = new AbortController();
	readonly gently = this.#gently.signal;
	readonly atOnce = this.#atOnce.signal;
	readonly leave = this.#leave.signal;

	/** First call: gently. Second: at once. */
	stop(): void {
		if (this.gently.aborted) this.#atOnce.abort();
		this.#gently.abort();
	}

	leaveRunning(): void {
		this.#leave.abort();
	}
}

/** Resolves when any of the signals is aborted. */
export function aborted(...signals: readonly AbortSignal[]): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of signals) {
			if (signal.aborted) return resolve();
			signal.addEventListener('abort', () => resolve(), { once: true });
		}
	});
}

/** Waits, unless one of the signals comes first. */
export function pauseUnless(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
	return new Promise((resolve) => {
		if (signals.some((signal) => signal.aborted)) return resolve();
		const done = () => {
			clearTimeout(timer);
			for (const signal of signals) signal.removeEventListener('abort', done);
			resolve();
		};
		const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
		for (const signal of signals) signal.addEventListener('abort', done, { once: true });
	});
}
