import { statSync } from 'node:fs';
import { packetNames } from '../packet/names.ts';

/** Changes whenever the manifest is written or replaced; null without one. */
export function manifestVersion(root: string, id: string): string | null {
	const stat = statSync(packetNames(root, id).manifest, { throwIfNoEntry: false, bigint: true });
	return stat === undefined ? null : `${stat.ino}-${stat.size}-${stat.mtimeNs}-${stat.ctimeNs}`;
}
