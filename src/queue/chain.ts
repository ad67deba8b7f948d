import type { LoadedManifest } from '../config/load-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import { suggest } from '../contract/suggest.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketEntry } from './packet-index.ts';

/** Packets by their ids, or as they are listed. */
export type Packets = readonly PacketEntry[] | ReadonlyMap<string, PacketEntry>;

export interface Blocker {
	readonly id: string;
	readonly status: PacketStatus | 'missing';
}

/** What the chain makes wrong of a manifest: dependencies that do not exist, and those that wait for it in turn. */
export function chainComplaints(packets: Packets, loaded: LoadedManifest, id: string): Complaint[] {
	const byId = mapOf(packets);
	const { based_on, depends_on } = loaded.manifest;
	const written: [path: (string | number)[], dependency: string][] = [
		...(based_on === undefined ? [] : [[['based_on'], based_on] as [string[], string]]),
		...(Array.isArray(depends_on)
			? depends_on.map((one, at): [(string | number)[], string] => [['depends_on', at], one])
			: depends_on === undefined
				? []
				: [[['depends_on'], depends_on] as [string[], string]]),
	];
	const said = new Set<string>();
	return written.flatMap(([path, dependency]) => {
		if (dependency === id || said.has(dependency)) return [];
		said.add(dependency);
		if (!byId.has(dependency)) return [loaded.complain(path, unknownText(dependency, byId, id))];
		const back = pathTo(id, dependency, byId);
		return back === null ? [] : [loaded.complain(path, `a dependency cycle: ${[id, ...back].join(' → ')}`)];
	});
}

function unknownText(wanted: string, byId: ReadonlyMap<string, PacketEntry>, id: string): string {
	const near = suggest(
		wanted,
		[...byId.keys()].filter((other) => other !== id),
	);
	return `there is no packet "${wanted}"${near === null ? '' : `; did you mean "${near}"?`}`;
}

/** The shortest way along dependencies, both ends included; null if there is none. */
function pathTo(goal: string, start: string, byId: ReadonlyMap<string, PacketEntry>): string[] | null {
	const cameFrom = new Map<string, string | null>([[start, null]]);
	for (const at of cameFrom.keys()) {
		if (at === goal) {
			const way: string[] = [];
			for (let step: string | null | undefined = at; step; step = cameFrom.get(step)) way.unshift(step);
			return way;
		}
		// A map is walked in the order of insertion, what is added on the way included: breadth first.
		for (const next of byId.get(at)?.dependsOn ?? []) if (!cameFrom.has(next)) cameFrom.set(next, at);
	}
	return null;
}

/** What a packet waits for: its own dependencies that are not completed. A failed one never unblocks. */
export function blockersOf(packets: Packets, id: string): Blocker[] {
	const byId = mapOf(packets);
	return (byId.get(id)?.dependsOn ?? []).flatMap((dependency) => {
		const status = byId.get(dependency)?.status ?? 'missing';
		return status === 'completed' ? [] : [{ id: dependency, status }];
	});
}

/**
 * Whether a valid packet is still to be run: it has not run, its run died, or was cut short. One that somebody interrupted counts if
 * that was before `began`: it is not snatched from under his hand.
 */
export const isOpen = (entry: PacketEntry, began: string): boolean =>
	isLeft(entry) || (entry.status === 'interrupted' && (entry.updated ?? '') < began);

/** Nobody decided that it should not run. */
export const isLeft = (entry: PacketEntry): boolean => entry.status === 'pending' || entry.orphaned || entry.cutShort;

/** The same ids, each after those it depends on, else in the order they were given. */
export function inOrder(ids: readonly string[], byId: ReadonlyMap<string, PacketEntry>): string[] {
	const wanted = new Set(ids);
	const ordered: string[] = [];
	const entered = new Set<string>();
	const placed = new Set<string>();
	for (const first of wanted) {
		const stack = [first];
		for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
			const open: string[] = entered.has(at) ? [] : (byId.get(at)?.dependsOn ?? []).filter((next) => !entered.has(next));
			entered.add(at);
			if (open.length > 0) {
				stack.push(...open.reverse());
				continue;
			}
			stack.pop();
			if (wanted.has(at) && !placed.has(at)) ordered.push(at);
			placed.add(at);
		}
	}
	return ordered;
}

const isMap = (packets: Packets): packets is ReadonlyMap<string, PacketEntry> => packets instanceof Map;
export const mapOf = (packets: Packets): ReadonlyMap<string, PacketEntry> =>
	isMap(packets) ? packets : new Map(packets.map((entry) => [entry.id, entry]));
