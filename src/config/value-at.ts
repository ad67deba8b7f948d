/** The value at a path of plain data; undefined where the path ends early. Only own keys count. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
	let at = value;
	for (const step of path) {
		if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
		at = (at as Record<string | number, unknown>)[step];
	}
	return at;
}
