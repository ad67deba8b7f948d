import { parseManifest } from '../config/load-manifest.ts';
import { readBytes } from '../packet/read.ts';
import type { AskedOf } from '../run/run-context.ts';
import { changeBefore } from './ancestors.ts';
import { kindOf } from './lineage.ts';
import { entryOf } from './packet-index.ts';

/** What was asked of the packet that a review is about, which is the one whose change it is shown; null for other packets. */
export function askedOfReviewed(root: string, id: string): AskedOf | null {
	const entry = entryOf(root, id);
	if (entry === null || entry.dependsOn.length === 0 || kindOf(entry) !== 'review') return null;
	const reviewed = changeBefore(root, id)?.names;
	const text = reviewed === undefined ? null : readBytes(reviewed.manifest, 4 * 1024 * 1024);
	const loaded = text === null ? null : parseManifest(text, reviewed!.manifest, reviewed!.id);
	return loaded?.ok ? loaded.value.manifest : null;
}
