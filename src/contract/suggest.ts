/** The candidate that `word` was probably meant to be, or null when none is near enough to be worth saying. */
export function suggest(word: string, candidates: Iterable<string>): string | null {
	const typed = word.toLowerCase();
	let best: string | null = null;
	// A third of the word may be wrong, and no more than three letters; beyond that a suggestion confuses more than it helps.
	let nearest = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
	for (const candidate of candidates) {
		if (candidate === word || Math.abs(candidate.length - word.length) >= nearest) continue;
		const distance = editDistance(typed, candidate.toLowerCase());
		if (distance < nearest) [best, nearest] = [candidate, distance];
	}
	return best;
}

/** `; did you mean "codex"?`, or all there is to choose from where nothing is near. */
export function hint(word: string, candidates: Iterable<string>): string {
	const known = [...candidates];
	const meant = suggest(word, known);
	if (meant !== null) return `; did you mean "${meant}"?`;
	return known.length === 0 ? '' : `; known: ${known.join(', ')}`;
}

/** Levenshtein's, with two neighbouring letters swapped counted as one slip. */
function editDistance(a: string, b: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const cost = a[i - 1] === b[j - 1] ? 0 : 1;
			row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
		}
		[beforeLast, last] = [last, row];
	}
	return last[b.length]!;
}
