/** What stands at a path of an event, or undefined. Events come from outside: nothing is assumed about their shape. */
export function valueAt(event: unknown, ...path: readonly string[]): unknown {
	let here: unknown = event;
	for (const key of path) {
		if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
		here = (here as Record<string, unknown>)[key];
	}
	return here;
}

export function textAt(event: unknown, ...path: readonly string[]): string | null {
	const found = valueAt(event, ...path);
	return typeof found === 'string' ? found : null;
}

/** A count or an amount: finite and not negative. */
export function numberAt(event: unknown, ...path: readonly string[]): number | null {
	const found = valueAt(event, ...path);
	return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : null;
}

export function listAt(event: unknown, ...path: readonly string[]): readonly unknown[] {
	const found = valueAt(event, ...path);
	return Array.isArray(found) ? found : [];
}

/** The values of a map such as `{ model: numbers }`. */
export function entriesAt(event: unknown, ...path: readonly string[]): readonly unknown[] {
	const found = valueAt(event, ...path);
	return typeof found === 'object' && found !== null && !Array.isArray(found) ? Object.values(found) : [];
}

/** The sum of one number over many events; null where none of them has it. */
export function sumOf(events: readonly unknown[], ...path: readonly string[]): number | null {
	const found = events.map((event) => numberAt(event, ...path)).filter((value) => value !== null);
	return found.length === 0 ? null : found.reduce((sum, value) => sum + value, 0);
}
