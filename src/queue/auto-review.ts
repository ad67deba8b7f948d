import { isLeft } from './chain.ts';
import { freeId, isTaken, manifestText, writePacket } from './new-packet.ts';
import { entryOf, indexPackets, type PacketEntry } from './packet-index.ts';

/**
 * The review that a completed packet asks for: one that waits already, else a new one, `<id>-review`, `<id>-review-2` … Null if it has
 * had its review since it was completed, so that asking again after a crash makes no second one.
 */
export async function reviewPacketFor(root: string, parentId: string): Promise<string | null> {
	const parent = entryOf(root, parentId);
	if (parent === null) return null;
	const newest = reviewsOf(root, parentId).at(-1);
	if (newest !== undefined && isLeft(newest)) return newest.id;
	const since = newest === undefined ? Number.NaN : Date.parse(newest.created);
	return since >= Date.parse(parent.updated ?? '') ? null : writeReview(root, parent);
}

/** A review packet of its own kind for each time it is asked for, unless the last one has not run yet. */
export async function anotherReview(root: string, parent: PacketEntry): Promise<string> {
	const newest = reviewsOf(root, parent.id).at(-1);
	return newest !== undefined && isLeft(newest) ? newest.id : writeReview(root, parent);
}

export function reviewsOf(root: string, parentId: string): PacketEntry[] {
	return indexPackets(root).filter(
		(entry) => entry.basedOn === parentId && entry.type === 'review' && entry.id.startsWith(reviewName(parentId)),
	);
}

async function writeReview(root: string, parent: PacketEntry): Promise<string> {
	for (;;) {
		const { id, text } = reviewManifest(root, parent);
		if ((await writePacket(root, id, { 'manifest.yaml': text })).ok) return id;
	}
}

/** What would be written: a review in the parent's group, based on it, which shows and sends no more than the parent may. */
export function reviewManifest(root: string, parent: PacketEntry): { readonly id: string; readonly text: string } {
	const id = freeId(reviewName(parent.id), (wanted) => isTaken(root, wanted));
	const [goal = ''] = parent.goal.trim().split('\n');
	const text = manifestText({
		id,
		goal: `Review ${parent.id}: ${goal}`,
		type: 'review',
		...(parent.group === null ? {} : { group: parent.group }),
		basedOn: parent.id,
		...(parent.security === null ? {} : { security: parent.security }),
		createdAt: new Date().toISOString(),
	});
	return { id, text };
}

/** Leaves room for `-2`, `-3` … within the length of an id. */
const reviewName = (parentId: string): string => `${parentId.slice(0, 89)}-review`;
