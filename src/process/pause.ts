/** A timer that is set to more rings at once. */
const longestMs = 2 ** 31 - 1;

/** Waits, or less when one of the signals says so. */
export function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
	return new Promise((settle) => {
		if (signals.some((signal) => signal?.aborted)) return settle();
		let timer: NodeJS.Timeout;
		const wait = (leftMs: number) => {
			timer = leftMs > longestMs ? setTimeout(() => wait(leftMs - longestMs), longestMs) : setTimeout(done, leftMs);
		};
		const done = () => {
			clearTimeout(timer);
			for (const signal of signals) signal?.removeEventListener('abort', done);
			settle();
		};
		wait(ms);
		for (const signal of signals) signal?.addEventListener('abort', done);
	});
}
