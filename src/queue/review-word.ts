import { foldJournal } from '../journal/fold.ts';
import { readJournal } from '../packet/journal-file.ts';
import { packetNames } from '../packet/names.ts';
import { reviewsOf } from './auto-review.ts';
import { entryOf, type PacketEntry } from './packet-index.ts';

/** What a packet's summary tells of its review. */
export interface ReviewWord {
	readonly line: string;
	/** Instead of merging: the review did not approve, or cannot be trusted. */
	readonly nextAction: string | null;
}

/** The word of the newest review since the packet was completed; null if there is none, or none that has ended. */
export function reviewWord(root: string, parentId: string): ReviewWord | null {
	const parent = entryOf(root, parentId);
	const review = reviewsOf(root, parentId).at(-1);
	if (parent === null || review === undefined || Date.parse(review.created) < Date.parse(parent.updated ?? '')) return null;
	if (review.status === 'pending' || review.status === 'in_progress') return null;
	const where = `.tmp/task/${review.id}/outputs/_summary.md`;
	const doubt = contradiction(root, review);
	const verdict = review.verdict === null ? 'no verdict' : `verdict ${review.verdict}`;
	const line = `review: ${review.id} ${review.status}, ${verdict}${doubt} (read ${where} before merging)`;
	const approved = review.status === 'completed' && review.verdict === 'APPROVED' && doubt === '';
	return { line, nextAction: approved ? null : `read_review: dispatch show ${review.id}, before anything is merged` };
}

/** An approval beside findings that forbid it. */
function contradiction(root: string, { id, verdict }: PacketEntry): string {
	if (verdict !== 'APPROVED') return '';
	const { stages } = foldJournal(readJournal(packetNames(root, id).journal));
	const high = Math.max(0, ...[...stages.values()].map((stage) => stage.findings?.high ?? 0));
	return high > 0 ? ` in spite of ${high} HIGH` : '';
}
