import type { Complaint } from '../contract/complaint.ts';
import { parseYaml } from './parse-yaml.ts';
import { plainValue } from './plain-value.ts';
import { syntaxProblems } from './syntax-problems.ts';
import { findNode, type YamlPath } from './yaml-node.ts';
import { excerptOf, type Place, type ReadYaml, unreadable } from './yaml-reading.ts';

/** More are noise: one slip early in a file is often reported at every later line. */
const maxSyntaxComplaints = 20;

/** Any YAML, by the whole parser. */
export function readWholeYaml(source: string, file: string): ReadYaml {
	const excerpt = excerptOf(source);
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
	const problems = syntaxComplaints(
		syntaxProblems(parsed.doc, parsed.problems, source).map(({ offset, message }) => complaint(offset, message)),
	);
	if (problems.length > 0) return unreadable(file, problems, excerpt);

	const complaints: Complaint[] = [];
	const unclear: YamlPath[] = [];
	const { value, targets } = plainValue(parsed.doc, (offset, message, path) => {
		complaints.push(complaint(offset, message));
		unclear.push(path);
	});
	const tree = { root: parsed.doc.contents, targets };
	return {
		file,
		value,
		complaints,
		unclear,
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
