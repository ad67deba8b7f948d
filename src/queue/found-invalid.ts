import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type PacketNames, tasksDir } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { type JournalFacts, noJournal } from './journal-facts.ts';

/**
 * Mark of the summary of a packet without a journal, which a run may have left that found it invalid; '' if there is none, or if what
 * it judged has changed since: the manifest, the configuration, and for a packet in a chain the packets there are.
 */
export function invalidMarkOf(names: PacketNames, manifest: Stats, inChain: boolean): string {
	const summary = statSync(names.summary, { throwIfNoEntry: false });
	if (summary === undefined) return '';
	const changed = Math.max(manifest.mtimeMs, configChanged(names.root), inChain ? timeOf(tasksDir(names.root)) : 0);
	return changed > summary.mtimeMs ? '' : `summary ${summary.mtimeMs} ${summary.size}`;
}

/** What such a summary says. */
export function invalidFacts(summary: string): JournalFacts {
	const text = readText(summary, 1024 * 1024) ?? '';
	const [, head = ''] = text.split(/^---$/m, 2);
	return /^status: invalid$/m.test(head) ? { ...noJournal, state: 'invalid' } : noJournal;
}

function configChanged(root: string): number {
	const dir = join(root, 'configs');
	try {
		return Math.max(0, ...readdirSync(dir, { recursive: true }).map((name) => timeOf(join(dir, String(name)))));
	} catch {
		return 0;
	}
}

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
