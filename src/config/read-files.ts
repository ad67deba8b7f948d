import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Complaint } from '../contract/complaint.ts';
import { maxBytes, tooLarge } from './decode-text.ts';
import { readYaml } from './read-yaml.ts';
import type { ReadYaml } from './yaml-reading.ts';

export interface Found {
	readonly files: readonly { readonly name: string; readonly yaml: ReadYaml }[];
	readonly complaints: readonly Complaint[];
}

/** All `*.yaml` of a folder, by name. A folder that is not there is an empty one. */
export function readFolder(folder: string, show: (name: string) => string): Found {
	const names = listed(folder);
	if (typeof names === 'string') return { files: [], complaints: [whole(show(''), names)] };
	const files = names.filter((name) => name.endsWith('.yaml')).map((name) => ({ name, yaml: readFile(join(folder, name), show(name)) }));
	const overlooked = names.filter((name) => name.endsWith('.yml'));
	return {
		files: files.flatMap(({ name, yaml }) => (yaml === null ? [] : [{ name: name.slice(0, -'.yaml'.length), yaml }])),
		complaints: overlooked.map((name) => whole(show(name), 'only *.yaml is read; rename this file', 'warning')),
	};
}

/** A file as YAML; null where there is none. */
export function readFile(path: string, shown: string): ReadYaml | null {
	try {
		// Reading a pipe would wait for a writer, reading a huge file would take the memory.
		const found = statSync(path);
		if (!found.isFile()) return unreadable(shown, 'this is not a file');
		return found.size > maxBytes ? unreadable(shown, tooLarge) : readYaml(readFileSync(path), shown);
	} catch (error) {
		const code = codeOf(error);
		// Settings kept elsewhere that have moved away must not pass for settings that nobody made.
		if (code === 'ENOENT' && isLink(path)) return unreadable(shown, 'this is a link to a file that does not exist');
		return code === 'ENOENT' || code === 'ENOTDIR' ? null : unreadable(shown, `cannot be read: ${reasons[code] ?? code}`);
	}
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function listed(folder: string): readonly string[] | string {
	try {
		return readdirSync(folder)
			.filter((name) => !name.startsWith('.'))
			.sort();
	} catch (error) {
		const code = codeOf(error);
		return code === 'ENOENT' ? [] : `cannot be read: ${reasons[code] ?? code}`;
	}
}

function unreadable(file: string, message: string): ReadYaml {
	const none = { line: 1, col: 1 };
	return { file, value: undefined, complaints: [whole(file, message)], locate: () => none, has: () => false, excerpt: () => '' };
}

/** A complaint about a file as such. */
export function whole(file: string, message: string, level: Complaint['level'] = 'error'): Complaint {
	return { level, file, line: null, col: null, message, excerpt: null };
}

const reasons: Readonly<Record<string, string>> = {
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	ELOOP: 'too many symbolic links',
	ENOTDIR: 'it is not a directory',
	EISDIR: 'it is a directory',
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
