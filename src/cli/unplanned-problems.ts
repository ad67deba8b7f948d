import { byPlace } from '../config/complain-at.ts';
import { parseManifest } from '../config/load-manifest.ts';
import { salvageManifest } from '../config/salvage-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import { packetNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { chainComplaints } from '../queue/chain.ts';
import { indexPackets } from '../queue/packet-index.ts';

/** What can be said of packets without a configuration: their manifests and their chain. */
export function unplannedProblems(root: string, ids: readonly string[]): Complaint[] {
	const entries = indexPackets(root);
	return ids.flatMap((id) => {
		const file = `.tmp/task/${id}/manifest.yaml`;
		const text = readBytes(packetNames(root, id).manifest, 256 * 1024 * 1024);
		if (text === null) return [];
		const parsed = parseManifest(text, file, id);
		const loaded = parsed.ok ? parsed.value : salvageManifest(text, file, id)?.loaded;
		return [...(parsed.ok ? [] : parsed.failures), ...(loaded ? chainComplaints(entries, loaded, id) : [])].sort(byPlace);
	});
}
