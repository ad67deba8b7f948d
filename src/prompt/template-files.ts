import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { RoleContract } from '../contract/role.ts';

/** The package's templates, read at build time: file name → content without front matter, its hash and, for a role's own file, its contract. */
export type PackedTemplates = Readonly<
	Record<string, { readonly text: string; readonly sha256: string; readonly contract: RoleContract | null }>
>;

/** A template as it was found: which role, for which tool, and its whole text. */
export interface FoundFile {
	readonly role: string;
	readonly tool: string | null;
	readonly path: string;
	readonly text: string;
	/** Known beforehand for the package's own, whose text has no front matter. */
	readonly sha256: string | null;
	readonly contract: RoleContract | null;
}

const fileName = /^([a-z][a-z0-9_]*)(?:\.([A-Za-z0-9][A-Za-z0-9-]*))?\.md$/;
const largest = 1024 * 1024;

export function packedLayer(packed: PackedTemplates): FoundFile[] {
	return inOrder(Object.keys(packed)).map(({ name, role, tool }) => ({ role, tool, path: `templates/roles/${name}`, ...packed[name]! }));
}

export function directoryLayer(dir: string, show: (path: string) => string, complaints: Complaint[]): FoundFile[] {
	const folder = join(dir, 'roles');
	let names: string[];
	try {
		names = readdirSync(folder);
	} catch {
		return [];
	}
	const templates = names.filter((name) => name.endsWith('.md') && !name.startsWith('.') && name !== 'README.md');
	for (const name of templates.filter((name) => !fileName.test(name))) {
		complaints.push(complaintOf(show(join(folder, name)), 'a template is named <role>.md or <role>.<tool>.md, the role in a-z 0-9 _'));
	}
	return inOrder(templates).flatMap(({ name, role, tool }) => {
		const file = join(folder, name);
		const read = readTemplate(file, dir);
		if (read.ok) return [{ role, tool, path: show(file), text: read.value, sha256: null, contract: null }];
		complaints.push(complaintOf(show(file), read.failures[0]));
		return [];
	});
}

/** A role's own file before those for one tool, which inherit from it. */
function inOrder(names: readonly string[]): { name: string; role: string; tool: string | null }[] {
	const found = names.flatMap((name) => {
		const match = fileName.exec(name);
		return match ? [{ name, role: match[1]!, tool: match[2] ?? null }] : [];
	});
	return found.sort((a, b) => Number(a.tool !== null) - Number(b.tool !== null) || (a.name < b.name ? -1 : 1));
}

/** A cloned repository's template may be a link: it is sent to a servant, so it must not lead out of the project. */
function readTemplate(file: string, dir: string): Outcome<string, string> {
	try {
		if (lstatSync(file).isSymbolicLink() && !realpathSync(file).startsWith(realpathSync(dirname(dir)) + sep))
			return fail('links out of the project');
		const stats = statSync(file);
		if (!stats.isFile()) return fail('is not a file');
		if (stats.size > largest) return fail(`is larger than ${largest} bytes`);
		return pass(readFileSync(file, 'utf8'));
	} catch (error) {
		return fail(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
	}
}

export function complaintOf(file: string, message: string): Complaint {
	return { level: 'error', file, line: null, col: null, message, excerpt: null };
}
