import type { PacketEntry } from './packet-index.ts';

/** Unfinished packets that validation refuses for their chain: a dependency that does not exist, or a circle they stand in. */
export function chainFaults(byId: ReadonlyMap<string, PacketEntry>): ReadonlySet<string> {
	const open = [...byId.values()].filter((entry) => entry.status !== 'completed' && entry.dependsOn.length > 0);
	const lost = open.filter((entry) => entry.dependsOn.some((id) => !byId.has(id))).map((entry) => entry.id);
	const waits = new Map(open.map((entry) => [entry.id, entry.dependsOn]));
	// What is left after those who wait for nobody, and then those whom nobody waits for: circles.
	const behind = peeled(waits);
	return new Set([...lost, ...peeled(turned(behind)).keys()]);
}

type Edges = ReadonlyMap<string, readonly string[]>;

/** Takes away, again and again, whoever has no edge to another that is left. */
function peeled(edges: Edges): Edges {
	const left = new Map(edges);
	const into = turned(edges);
	const count = new Map([...edges].map(([id, to]) => [id, to.filter((other) => edges.has(other)).length]));
	const free = [...count].filter(([, n]) => n === 0).map(([id]) => id);
	for (let id = free.pop(); id !== undefined; id = free.pop()) {
		left.delete(id);
		for (const other of into.get(id) ?? []) {
			const n = count.get(other)! - 1;
			count.set(other, n);
			if (n === 0) free.push(other);
		}
	}
	return left;
}

function turned(edges: Edges): Edges {
	const into = new Map<string, string[]>([...edges.keys()].map((id) => [id, []]));
	for (const [id, to] of edges) for (const other of to) into.get(other)?.push(id);
	return into;
}
