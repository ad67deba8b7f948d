import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { TaskId } from '../contract/words.ts';
import { archiveDir, tasksDir } from './names.ts';

/** Ids of all packets: directories with a well-formed name. */
export const packetIds = (root: string): string[] => idsIn(tasksDir(root));

/** Ids of the packets that were put away. */
export const archivedIds = (root: string): string[] => idsIn(archiveDir(root));

/** What somebody meant to be a packet and nobody will run: its directory's name is no id. What is hidden is nobody's packet. */
export const misnamedPackets = (root: string): string[] =>
	directoriesIn(tasksDir(root)).filter(
		(name) => !name.startsWith('.') && idProblem(name) !== null && existsSync(join(tasksDir(root), name, 'manifest.yaml')),
	);

/** Why a name cannot be a packet's. */
export const idProblem = (name: string): string | null => TaskId.safeParse(name).error?.issues[0]?.message ?? null;

const idsIn = (dir: string): string[] => directoriesIn(dir).filter((name) => TaskId.safeParse(name).success);

function directoriesIn(dir: string): string[] {
	try {
		return readdirSync(dir, { withFileTypes: true })
			.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
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
	const problem = idProblem(wanted);
	if (problem !== null) return fail(`"${wanted}" cannot be a packet: ${problem}`);
	if (archivedIds(root).includes(wanted)) return fail(`${wanted} is archived in .tmp/archive/${wanted}`);
	return fail(`there is no packet "${wanted}" (.tmp/task/${wanted}/manifest.yaml)`);
}
