import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { tooDeep } from './parse-yaml.ts';
import { keyText, type Targets, type YamlPath } from './yaml-node.ts';

/** The path is of what cannot be read for sure. */
type Complain = (offset: number, message: string, path: YamlPath) => void;

const maxDepth = 100;
/** Nodes that aliases may stand for in all; a bomb of a few lines stands for billions. */
const maxExpanded = 10_000;

/** The document's map as plain data without a prototype; undefined if it is no map. Complains of what a reader could misread. */
export function plainValue(doc: Document.Parsed, complain: Complain): { readonly value: unknown; readonly targets: Targets } {
	if (isEmptyDocument(doc)) return { value: Object.create(null), targets: new Map() };
	if (!isMap(doc.contents)) {
		const what = isSeq(doc.contents) ? 'a list' : 'a single value';
		complain(doc.contents!.range[0], `expected keys with values (key: value), got ${what}`, []);
		return { value: undefined, targets: new Map() };
	}
	const conversion = new Conversion(complain);
	return { value: conversion.value(doc.contents, 0), targets: conversion.targets };
}

function isEmptyDocument(doc: Document.Parsed): boolean {
	return doc.contents === null || (isScalar(doc.contents) && doc.contents.value === null);
}

class Conversion {
	readonly targets = new Map<Alias, ParsedNode>();
	private readonly path: (string | number)[] = [];
	private readonly anchors = new Map<string, ParsedNode>();
	private expanded = 0;
	private insideAlias = false;
	private gaveUp = false;

	constructor(private readonly complain: Complain) {}

	value(node: ParsedNode | null, depth: number): unknown {
		if (node === null || this.gaveUp) return null;
		if (depth > maxDepth) return this.giveUp(node, tooDeep);
		if (this.insideAlias && ++this.expanded > maxExpanded) return this.giveUp(node, 'aliases stand for too much text');
		if (isAlias(node)) return this.aliased(node, depth);
		if (node.anchor !== undefined && !this.insideAlias) this.anchors.set(node.anchor, node);
		if (isMap(node)) return this.map(node as YAMLMap.Parsed, depth);
		if (isSeq(node)) return node.items.map((item, i) => this.below(i, item as ParsedNode, depth));
		return node.value;
	}

	private map(map: YAMLMap.Parsed, depth: number): Record<string, unknown> {
		const result: Record<string, unknown> = Object.create(null);
		const seen = new Map<string, number>();
		for (const pair of map.items as Pair<ParsedNode, ParsedNode | null>[]) {
			const offset = pair.key.range[0];
			const key = keyText(pair);
			if (key === null) this.complainOnce(offset, 'a key must be plain text');
			else if (key === '__proto__') this.complainOnce(offset, 'the key "__proto__" is not allowed');
			else if (seen.has(key)) this.complainOnce(offset, `the key "${key}" occurs twice here`, key);
			else {
				seen.set(key, offset);
				result[key] = this.below(key, pair.value, depth);
			}
		}
		return result;
	}

	private below(step: string | number, node: ParsedNode | null, depth: number): unknown {
		this.path.push(step);
		const value = this.value(node, depth + 1);
		this.path.pop();
		return value;
	}

	/** The document is walked in its order, so the last anchor of a name is the one an alias means. */
	private aliased(alias: Alias.Parsed, depth: number): unknown {
		const node = this.targets.get(alias) ?? this.anchors.get(alias.source);
		if (node === undefined) {
			this.complainOnce(alias.range[0], `nothing is called "&${alias.source}" before this alias`);
			return null;
		}
		this.targets.set(alias, node);
		const outermost = !this.insideAlias;
		this.insideAlias = true;
		const value = this.value(node, depth + 1);
		if (outermost) this.insideAlias = false;
		return value;
	}

	/** What stands inside an anchor has been complained of where it is written. */
	private complainOnce(offset: number, message: string, ...key: string[]): void {
		if (!this.insideAlias) this.complain(offset, message, [...this.path, ...key]);
	}

	private giveUp(node: ParsedNode, message: string): null {
		this.gaveUp = true;
		// What follows is not read at all.
		this.complain(node.range[0], message, []);
		return null;
	}
}
