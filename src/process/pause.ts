/** Waits, or less when the signal says so. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((settle) => {
		if (signal?.aborted) return settle();
		const done = () => {
			clearTimeout(timer);
			signal?.removeEventListener('abort', done);
			settle();
		};
		const timer = setTimeout(done, ms);
		signal?.addEventListener('abort', done);
	});
}
