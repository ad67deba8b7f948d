import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TreeChange } from '../contract/evidence.ts';

/**
 * Without what was done to the tree after the record's last word. Whoever collects a servant that ended without a dispatcher finds
 * what a person or another packet did since then, and nobody held the tree any more. A gone path is as old as the directory it lay in.
 */
export function withoutLater(dir: string, changes: readonly TreeChange[], recordFile: string): readonly TreeChange[] {
	const ended = lstatSync(recordFile, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
	return ended === undefined ? changes : changes.filter(({ path }) => changedNs(join(dir, path)) <= ended);
}

/** The time that no program can set. */
function changedNs(path: string): bigint {
	for (let at = path; ; at = dirname(at)) {
		const stat = look(at);
		if (stat !== undefined) return stat.ctimeNs;
		if (at === dirname(at)) return 0n;
	}
}

/** A directory that became a file leaves paths that lead nowhere. */
function look(path: string) {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}
