import type { Complaint } from '../contract/complaint.ts';
import type { YamlPath } from './yaml-node.ts';

export interface Place {
	readonly line: number;
	readonly col: number;
}

/** A YAML text, read as far as it can be. Whatever is in it, reading it ends soon and throws nothing. */
export interface ReadYaml {
	readonly file: string;
	/** The map it holds; undefined when it is no YAML or no map. An empty text is an empty map. */
	readonly value: unknown;
	readonly complaints: readonly Complaint[];
	/** Paths that were not read for sure, a key that stands twice for one: what seems to be missing there may be written. */
	readonly unclear?: readonly YamlPath[];
	/** Where the key or value of a path stands; where it does not stand, its nearest parent. */
	readonly locate: (path: YamlPath, what?: 'key' | 'value') => Place;
	/** Whether the path is written, be it with an empty value. */
	readonly has: (path: YamlPath) => boolean;
	/** A line as written. */
	readonly excerpt: (line: number) => string;
}

/** Lines as written. */
export function excerptOf(source: string): ReadYaml['excerpt'] {
	let lines: string[] | null = null;
	return (line) => {
		lines ??= source.split('\n');
		return (lines[line - 1] ?? '').replace(/\r$/, '');
	};
}

export function unreadable(file: string, complaints: readonly Complaint[], excerpt: (line: number) => string = () => ''): ReadYaml {
	return { file, value: undefined, complaints, excerpt, has: () => false, locate: () => ({ line: 1, col: 1 }) };
}
