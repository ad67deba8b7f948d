import fc from 'fast-check';

/** The same each time, so that nobody's change fails for what another one left; `FUZZ_SEED=random` looks further, and prints its seed. */
export const seed = seedFrom(process.env.FUZZ_SEED ?? '20261118');

function seedFrom(word: string): number {
	return word === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(word);
}

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
