import type { Complaint } from '../contract/complaint.ts';
import { decodeText } from './decode-text.ts';
import { parseYaml } from './parse-yaml.ts';
import { plainValue } from './plain-value.ts';
import { findNode, type YamlPath } from './yaml-node.ts';
import { syntaxMessage } from './yaml-words.ts';

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
	/** Where the key or value of a path stands; where it does not stand, its nearest parent. */
	readonly locate: (path: YamlPath, what?: 'key' | 'value') => Place;
	/** Whether the path is written, be it with an empty value. */
	readonly has: (path: YamlPath) => boolean;
	/** A line as written. */
	readonly excerpt: (line: number) => string;
}

/** More are noise: one slip early in a file is often reported at every later line. */
const maxSyntaxComplaints = 20;
/** Nobody reads more, and a file of a million wrong keys must not fill the screen. */
export const maxComplaints = 100;
const maxExcerpt = 1000;

export function readYaml(text: string | Uint8Array, file: string): ReadYaml {
	const decoded = decodeText(text, file);
	if (!decoded.ok) return unreadable(file, decoded.failures);
	const source = decoded.value;
	let lines: string[] | null = null;
	const excerpt = (line: number) => {
		lines ??= source.split('\n');
		return (lines[line - 1] ?? '').slice(0, maxExcerpt).replace(/\r$/, '');
	};
	const parsed = parseYaml(source);
	const complaint = (offset: number, message: string): Complaint => {
		const { line, col } = placeOf(offset);
		return { level: 'error', file, line, col, message, excerpt: excerpt(line) };
	};
	const placeOf = (offset: number): Place => {
		const { line, col } = parsed.lines.linePos(Math.min(offset, source.length));
		return line === 0 ? { line: 1, col: 1 } : { line, col };
	};
	if (!parsed.ok) return unreadable(file, [complaint(parsed.offset, parsed.message)]);
	const problems = syntaxComplaints(parsed.problems.map((problem) => complaint(problem.pos[0], syntaxMessage(problem))));
	if (problems.length > 0) return unreadable(file, problems, excerpt);

	const complaints: Complaint[] = [];
	const { value, targets } = plainValue(parsed.doc, (offset, message) => {
		if (complaints.length < maxComplaints) complaints.push(complaint(offset, message));
	});
	const tree = { root: parsed.doc.contents, targets };
	return {
		file,
		value,
		complaints,
		excerpt,
		has: (path) => findNode(tree, path, 'key').found,
		locate: (path, what = 'value') => placeOf(findNode(tree, path, what).offset),
	};
}

/** The first of each line, and not endlessly many. */
function syntaxComplaints(all: readonly Complaint[]): readonly Complaint[] {
	const byLine = new Map<number | null, Complaint>();
	for (const complaint of all) {
		if (byLine.size === maxSyntaxComplaints) break;
		if (!byLine.has(complaint.line)) byLine.set(complaint.line, complaint);
	}
	return [...byLine.values()];
}

function unreadable(file: string, complaints: readonly Complaint[], excerpt: (line: number) => string = () => ''): ReadYaml {
	return { file, value: undefined, complaints, excerpt, has: () => false, locate: () => ({ line: 1, col: 1 }) };
}
