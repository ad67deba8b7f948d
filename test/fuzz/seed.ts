import fc from 'fast-check';

/** Another one each time; `FUZZ_SEED=<the printed one>` repeats a run. */
export const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

const slowestMs = 2000;

export interface Tally {
	runs: number;
	slowestMs: number;
	readonly seen: Record<string, number>;
}

/** Runs a property on `runs` inputs, each within its time, and says what was seen. */
export function fuzz<T>(name: string, runs: number, inputs: fc.Arbitrary<T>, run: (input: T) => string): Tally {
	const tally: Tally = { runs: 0, slowestMs: 0, seen: {} };
	const began = performance.now();
	fc.assert(
		fc.property(inputs, (input) => {
			const start = performance.now();
			const kind = run(input);
			const took = performance.now() - start;
			if (took > slowestMs) throw new Error(`took ${Math.round(took)} ms`);
			tally.runs += 1;
			tally.slowestMs = Math.max(tally.slowestMs, took);
			tally.seen[kind] = (tally.seen[kind] ?? 0) + 1;
		}),
		{ seed, numRuns: runs },
	);
	const kinds = Object.entries(tally.seen)
		.sort(([, a], [, b]) => b - a)
		.map(([kind, count]) => `${count} ${kind}`);
	console.log(
		`fuzz: ${tally.runs} ${name}, seed ${seed}, ${((performance.now() - began) / 1000).toFixed(1)} s, slowest ${tally.slowestMs.toFixed(0)} ms: ${kinds.join(', ')}`,
	);
	return tally;
}
