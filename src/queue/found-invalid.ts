import { readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { userDir } from '../config/find-root.ts';
import { packetIds } from '../packet/find-packet.ts';
import { archiveDir, type PacketNames, packetNames, tasksDir } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { type JournalFacts, noJournal } from './journal-facts.ts';

/** When what a packet was judged by, beside its manifest, was last changed. Looked up when asked for, and once. */
export interface LastChanges {
	/** Configuration and templates, the project's and the user's. */
	readonly settings: () => number;
	/** What packets there are, and what they depend on. */
	readonly chains: () => number;
}

export const lastChanges = (root: string): LastChanges => ({
	settings: once(() => {
		const user = userDir(process.env);
		return Math.max(...[join(root, 'configs'), join(root, 'templates'), ...(user === null ? [] : [user])].map(changeBelow));
	}),
	chains: once(() => {
		const manifests = packetIds(root).map((id) => packetNames(root, id).manifest);
		return Math.max(
			...[tasksDir(root), archiveDir(root)].map(changeOf),
			manifests.map(changeOf).reduce((a, b) => Math.max(a, b), 0),
		);
	}),
});

/**
 * Mark of the summary that a run may have left which found the packet invalid; '' if there is none, or if what it judged by may have
 * changed since.
 */
export function invalidMarkOf(names: PacketNames, manifest: Stats, inChain: boolean, changes: LastChanges): string {
	const summary = statSync(names.summary, { throwIfNoEntry: false });
	if (summary === undefined) return '';
	const changed = Math.max(manifest.ctimeMs, changes.settings(), inChain ? changes.chains() : 0);
	return changed > summary.mtimeMs ? '' : `summary ${summary.mtimeMs} ${summary.size}`;
}

/** Whether the last run found the packet invalid, and that still holds. */
export function isStillInvalid(names: PacketNames): boolean {
	if (!saysInvalid(readText(names.summary, 1024 * 1024) ?? '')) return false;
	const manifest = statSync(names.manifest, { throwIfNoEntry: false });
	return manifest !== undefined && invalidMarkOf(names, manifest, true, lastChanges(names.root)) !== '';
}

/** What such a summary says. */
export const invalidFacts = (summary: string): JournalFacts =>
	saysInvalid(readText(summary, 1024 * 1024) ?? '') ? { ...noJournal, state: 'invalid' } : noJournal;

export function saysInvalid(summary: string): boolean {
	const [, head = ''] = summary.split(/^---$/m, 2);
	return /^status: invalid$/m.test(head);
}

/** With the directory it lies in: it may have been taken away, or git have come. */
function changeBelow(dir: string): number {
	const inside = entriesBelow(dir).map((name) => changeOf(join(dir, name)));
	return Math.max(changeOf(dirname(dir)), changeOf(dir), ...inside);
}

function entriesBelow(dir: string): string[] {
	try {
		return readdirSync(dir, { recursive: true, encoding: 'utf8' });
	} catch {
		return [];
	}
}

/** Of the inode: a file that is put in place of another may be older than it. */
function changeOf(file: string): number {
	try {
		return statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
	} catch {
		return 0;
	}
}

function once(look: () => number): () => number {
	let found: number | null = null;
	return () => {
		found ??= look();
		return found;
	};
}
