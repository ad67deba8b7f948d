import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { oddity, readInput, unread } from './read-input.ts';
import { type Ground, resolveInput } from './resolve-input.ts';
import type { Source } from './source.ts';

/** Beyond these an attachment is named, not read: a link to a whole repository must not become a prompt. */
const mostFiles = 1000;
const mostBytes = 64 * 1024 * 1024;

export interface Attachments {
	readonly sources: Source[];
	/** Why the run must stop. */
	readonly reasons: string[];
}

/** All below `directory`, in the order of their names. */
export function readAttachments(directory: string, label: string, ground: Ground): Attachments {
	const found: Attachments & { bytes: number } = { sources: [], reasons: [], bytes: 0 };
	visit({ file: directory, label, name: '' }, []);
	return found;

	function visit(at: Place, above: readonly string[]): void {
		const resolved = resolveInput(at.file, at.label, ground, at.name === '' ? [] : [at.name]);
		if (resolved.kind === 'refused') found.reasons.push(resolved.reason);
		if (resolved.kind === 'dangling') add(at, 'a link that leads nowhere, not read');
		if (resolved.kind === 'absent' && at.name !== '') add(at, 'its name cannot be opened, not read');
		if (resolved.kind !== 'file') return;
		const stats = lstatSync(resolved.real, { throwIfNoEntry: false });
		if (stats?.isDirectory()) enter(at, resolved.real, above);
		else if (stats?.isFile()) read(at, resolved.real, stats.size);
		else if (stats) add(at, `${oddity(stats)}, not read`);
	}

	function enter(at: Place, real: string, above: readonly string[]): void {
		if (above.includes(real)) add(at, 'a link to a directory above it, not followed');
		else if (at.name.split('/').at(-1) === '.git') add(at, "a repository's own files, not read");
		else for (const name of namesIn(at, real)) if (found.sources.length < mostFiles) visit(below(at, name), [...above, real]);
	}

	function namesIn(at: Place, real: string): string[] {
		try {
			return readdirSync(real).sort();
		} catch (error) {
			found.reasons.push(`${at.label} cannot be read (${(error as NodeJS.ErrnoException).code})`);
			return [];
		}
	}

	function read(at: Place, real: string, size: number): void {
		if (found.sources.length >= mostFiles - 1) add(at, `one of more than ${mostFiles} attachments; this and what follows is not read`);
		else if (found.bytes > mostBytes) add(at, `${size} bytes, not read: the attachments before it fill the prompt`);
		else {
			const input = readInput('attachment', at.label, real);
			if (input.kind === 'unreadable') found.reasons.push(`${at.label} ${input.reason}`);
			else {
				found.bytes += input.source.text.length;
				found.sources.push(input.source);
			}
		}
	}

	function add(at: Place, note: string): void {
		found.sources.push(unread('attachment', at.label, note));
	}
}

interface Place {
	readonly file: string;
	readonly label: string;
	/** Below the attachments' directory. */
	readonly name: string;
}

const below = (at: Place, name: string): Place => ({
	file: join(at.file, name),
	label: `${at.label}/${name}`,
	name: at.name === '' ? name : `${at.name}/${name}`,
});
