import { type Alias, isAlias, isCollection, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';

export type YamlPath = readonly (string | number)[];

/** What each alias stands for. */
export type Targets = ReadonlyMap<Alias, ParsedNode>;

export interface Tree {
	readonly root: ParsedNode | null;
	readonly targets: Targets;
}

/** Where in the text a path stands, or how far it could be followed. */
export function findNode(tree: Tree, path: YamlPath, what: 'key' | 'value'): { readonly found: boolean; readonly offset: number } {
	let node: ParsedNode | null = tree.root;
	let offset = 0;
	for (const step of path) {
		const holder = isAlias(node) ? tree.targets.get(node) : node;
		const next = isMap(holder) ? pairOf(holder, String(step)) : isSeq(holder) ? entryOf(holder.items[Number(step)]) : undefined;
		if (next === undefined) return { found: false, offset };
		// A block's own start is its first line below the key: pointing at the key is what a reader expects.
		offset = what === 'key' || isEmptyNode(next.value) || isBlock(next.value) ? next.start : next.value!.range[0];
		node = next.value;
	}
	return { found: true, offset };
}

/** The text of a key, or null where a key is no plain text. */
export function keyText(pair: Pair): string | null {
	const key = pair.key;
	if (!isScalar(key) || key.value === null || key.value === '') return null;
	return String(key.value);
}

interface Entry {
	readonly start: number;
	readonly value: ParsedNode | null;
}

/** Maps of thousands of keys are asked for each of them. */
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairOf(map: YAMLMap, name: string): Entry | undefined {
	const index = indexes.get(map) ?? indexOf(map);
	const pair = index.get(name);
	if (pair === undefined) return undefined;
	return { start: (pair.key as ParsedNode).range[0], value: (pair.value as ParsedNode | null) ?? null };
}

function indexOf(map: YAMLMap): ReadonlyMap<string, Pair> {
	// Backwards: of two keys of a name the first one counts.
	const index = new Map(map.items.toReversed().map((pair) => [keyText(pair) ?? '', pair]));
	indexes.set(map, index);
	return index;
}

function entryOf(item: unknown): Entry | undefined {
	if (item === undefined) return undefined;
	const value = item as ParsedNode;
	return { start: value.range[0], value };
}

/** Written as nothing: the key is all there is to point at. */
function isEmptyNode(node: ParsedNode | null): boolean {
	return node === null || (isScalar(node) && node.range[0] === node.range[1]);
}

function isBlock(node: ParsedNode | null): boolean {
	return isCollection(node) && !node.flow;
}
