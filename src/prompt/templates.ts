import { isDeepStrictEqual } from 'node:util';
import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { own } from '../contract/own.ts';
import type { RoleContract, Roles } from '../contract/role.ts';
import { sha256 } from '../contract/sha256.ts';
import { readContract, splitFrontMatter } from './front-matter.ts';
import { complaintOf, directoryLayer, type FoundFile, type PackedTemplates, packedLayer } from './template-files.ts';

export interface LoadedRoles {
	readonly roles: Roles;
	/** The prompt of a role as this tool gets it, without front matter. A role that does not exist is a bug of the caller's. */
	readonly template: (role: string, tool: string) => Template;
	/** All that is in force, for `checkTemplates`. */
	readonly files: readonly TemplateFile[];
}

export interface Template {
	readonly text: string;
	readonly path: string;
	readonly sha256: string;
}

export interface TemplateFile {
	readonly role: string;
	/** null: for every tool that has no template of its own. */
	readonly tool: string | null;
	readonly path: string;
	readonly body: string;
	/** Lines before the body. */
	readonly offset: number;
	/** Of the body, where it is known beforehand. */
	readonly sha256: string | null;
}

export interface LoadOptions {
	/** Lie below all directories. */
	readonly packed?: PackedTemplates;
	/** How paths are shown to a user; default: as given. */
	readonly show?: (path: string) => string;
}

/** What could be read, and what is wrong with the rest. */
export interface ReadRoles extends LoadedRoles {
	readonly complaints: readonly Complaint[];
}

export function loadRoles(dirs: readonly string[], options: LoadOptions = {}): Outcome<LoadedRoles, Complaint> {
	const { complaints, ...loaded } = readRoles(dirs, options);
	const [first, ...rest] = complaints;
	return first === undefined ? pass(loaded) : fail(first, ...rest);
}

/** Reads `<dir>/roles/<role>.md` and `<role>.<tool>.md` of each directory, the last one strongest. Missing directories are empty ones. */
export function readRoles(dirs: readonly string[], options: LoadOptions = {}): ReadRoles {
	const show = options.show ?? ((path) => path);
	const complaints: Complaint[] = [];
	const roles: Record<string, RoleContract> = {};
	const files = new Map<string, TemplateFile>();
	const layers = [...(options.packed ? [packedLayer(options.packed)] : []), ...dirs.map((dir) => directoryLayer(dir, show, complaints))];
	for (const layer of layers) for (const file of layer) take(file);
	const spoilt = new Set(complaints.map((complaint) => complaint.file));
	return { roles, template, files: [...files.values()].filter((file) => !spoilt.has(file.path)), complaints };

	function take(file: FoundFile): void {
		const { matter, body } = file.sha256 === null ? splitFrontMatter(file.text) : { matter: null, body: file.text };
		const offset = file.text.slice(0, file.text.length - body.length).split('\n').length - 1;
		const inherited = own(roles, file.role) ?? null;
		const key = keyOf(file.role, file.tool);
		// A stronger layer's file for all tools also stands above a weaker layer's file for one.
		if (file.tool === null) for (const weaker of [...files.keys()]) if (weaker.startsWith(`${key}.`)) files.delete(weaker);
		files.set(key, { role: file.role, tool: file.tool, path: file.path, body, offset, sha256: file.sha256 });
		if (file.tool !== null && inherited === null) complaints.push(complaintOf(file.path, missing(file)));
		else if (file.contract !== null) roles[file.role] = file.contract;
		else if (matter !== null) takeContract(file, matter, inherited);
		else if (inherited === null) complaints.push(complaintOf(file.path, missing(file)));
		if (body.trim() === '') complaints.push(complaintOf(file.path, 'the template is empty: there is no prompt below the front matter'));
	}

	function takeContract(file: FoundFile, matter: string, inherited: RoleContract | null): void {
		const read = readContract(matter, file.path, inherited);
		complaints.push(...read.complaints);
		if (read.contract === null) return;
		if (file.tool === null) roles[file.role] = read.contract;
		else if (!isDeepStrictEqual(read.contract, inherited)) {
			complaints.push(complaintOf(file.path, `a role has one contract for all tools; change it in ${file.role}.md`));
		}
	}

	function template(role: string, tool: string): Template {
		const file = files.get(keyOf(role, tool)) ?? files.get(role);
		if (file === undefined) throw new Error(`no template for role ${role}`);
		return { text: file.body, path: file.path, sha256: file.sha256 ?? sha256(file.body) };
	}
}

/** For the build: the directory's templates in the form `loadRoles` takes as `packed`. */
export function packTemplates(dir: string): Outcome<PackedTemplates, Complaint> {
	const loaded = loadRoles([dir]);
	if (!loaded.ok) return loaded;
	const entries = loaded.value.files.map((file) => {
		return [
			`${keyOf(file.role, file.tool)}.md`,
			{ text: file.body, sha256: sha256(file.body), contract: file.tool === null ? loaded.value.roles[file.role]! : null },
		] as const;
	});
	return pass(Object.fromEntries(entries));
}

const keyOf = (role: string, tool: string | null): string => (tool === null ? role : `${role}.${tool}`);

function missing(file: FoundFile): string {
	if (file.tool !== null) return `there is no role ${file.role} (no ${file.role}.md)`;
	return `${file.role} is a new role: it needs front matter with at least purpose and access`;
}
