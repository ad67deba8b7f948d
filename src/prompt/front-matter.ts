import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Complaint } from '../contract/complaint.ts';
import { RoleContract } from '../contract/role.ts';
import { hint } from '../contract/suggest.ts';

/** A template's text in two: the contract as written (null where there is no front matter) and the prompt. */
export interface SplitTemplate {
	readonly matter: string | null;
	readonly body: string;
}

export function splitFrontMatter(text: string): SplitTemplate {
	const clean = text.replace(/^\uFEFF/, '');
	const found = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(clean);
	if (found === null || found.index !== 0) return { matter: null, body: clean };
	return { matter: found[1]!, body: clean.slice(found[0].length) };
}

export type ReadContract =
	| { readonly contract: RoleContract; readonly complaints: readonly [] }
	| { readonly contract: null; readonly complaints: readonly Complaint[] };

/** Reads a contract; what it leaves out is taken from `inherited`. Complaints count lines from the top of the template. */
export function readContract(matter: string, file: string, inherited: RoleContract | null): ReadContract {
	const counter = new LineCounter();
	const document = parseDocument(matter, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
	const lines = matter.split(/\r?\n/);
	const complain = (message: string, offset: number | undefined): Complaint => {
		const { line, col } = counter.linePos(offset ?? 0);
		return { level: 'error', file, line: line + 1, col, message, excerpt: lines[line - 1] ?? null };
	};
	if (document.errors.length > 0) return refused(document.errors.map((error) => complain(error.message, error.pos[0])));
	if (!isMap(document.contents)) return refused([complain('front matter must be a map of keys', 0)]);
	let written: Record<string, unknown>;
	try {
		written = document.toJS({ maxAliasCount: 10 });
	} catch (error) {
		return refused([complain((error as Error).message, 0)]);
	}
	const merged = { ...inherited, ...written };
	const parsed = RoleContract.safeParse(merged);
	if (parsed.success) return { contract: parsed.data, complaints: [] };
	return refused(
		parsed.error.issues.flatMap((issue) => {
			const key = issue.path.map(String).join('.');
			if (issue.code !== 'unrecognized_keys') {
				return [complain(key in merged || key.includes('.') ? `${key}: ${issue.message}` : `"${key}" is missing`, offsetOf(issue.path))];
			}
			return issue.keys.map((name) =>
				complain(`unknown key "${name}"${hint(name, Object.keys(RoleContract.shape))}`, offsetOf([...issue.path, name])),
			);
		}),
	);

	/** Where the deepest part of a path stands that was really written. */
	function offsetOf(path: readonly PropertyKey[]): number | undefined {
		for (let length = path.length; length > 0; length--) {
			const steps = path.slice(0, length);
			const parent = length === 1 ? document.contents : document.getIn(steps.slice(0, -1), true);
			const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === steps.at(-1)) : undefined;
			if (pair && isScalar(pair.key)) return pair.key.range?.[0];
			const node = document.getIn(steps, true) as { range?: readonly number[] } | undefined;
			if (node?.range) return node.range[0];
		}
		return undefined;
	}
}

const refused = (complaints: readonly Complaint[]): ReadContract => ({ contract: null, complaints });
