import { readdirSync } from 'node:fs';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { TaskId } from '../contract/words.ts';
import { archiveDir, tasksDir } from './names.ts';

/** Ids of all packets: directories with a well-formed name. */
export const packetIds = (root: string): string[] => idsIn(tasksDir(root));

/** Ids of the packets that were put away. */
export const archivedIds = (root: string): string[] => idsIn(archiveDir(root));

function idsIn(dir: string): string[] {
	try {
		return readdirSync(dir, { withFileTypes: true })
			.filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && TaskId.safeParse(entry.name).success)
			.map((entry) => entry.name)
			.sort();
	} catch {
		return [];
	}
}

/** An id, or a prefix that only one packet has; an exact id wins. */
export function findPacket(root: string, wanted: string): Outcome<string, string> {
	const ids = packetIds(root);
	if (ids.includes(wanted)) return pass(wanted);
	const matching = wanted === '' ? [] : ids.filter((id) => id.startsWith(wanted));
	if (matching.length === 1) return pass(matching[0]!);
	if (matching.length > 1) return fail(`"${wanted}" could be ${matching.slice(0, 5).join(', ')}${matching.length > 5 ? ', …' : ''}`);
	return fail(`there is no packet "${wanted}" (.tmp/task/${wanted}/manifest.yaml)`);
}
