/** Names that wait for each other, the first one again at the end; null if there is an order. */
export function circleIn(needs: Readonly<Record<string, readonly string[]>>): readonly string[] | null {
	const cleared = new Set<string>();
	const visit = (name: string, path: readonly string[]): readonly string[] | null => {
		if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
		if (cleared.has(name)) return null;
		for (const needed of Object.hasOwn(needs, name) ? needs[name]! : []) {
			const circle = visit(needed, [...path, name]);
			if (circle !== null) return circle;
		}
		cleared.add(name);
		return null;
	};
	for (const name of Object.keys(needs)) {
		const circle = visit(name, []);
		if (circle !== null) return circle;
	}
	return null;
}
