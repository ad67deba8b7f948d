import { parseManifest } from '../config/load-manifest.ts';
import { Plan } from '../contract/plan.ts';
import { Workspace } from '../contract/state-files.ts';
import { writeWhole } from '../packet/disk.ts';
import { acquireLock } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readBytes, readJson } from '../packet/read.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { entryOf } from '../queue/packet-index.ts';
import { type ReviewWord, reviewWord } from '../queue/review-word.ts';
import type { Standing } from '../run/run-order.ts';
import { redactorOf } from './shown-text.ts';
import { standingOf } from './standing-of.ts';
import { summaryText } from './summary-file.ts';

/** What only the run of a packet knows, and its files do not. */
type Heard = Pick<Standing, 'warnings' | 'changedInputs'>;
const nothingHeard: Heard = { warnings: [], changedInputs: [] };

/** A completed packet's summary with the word of its review as it is now; null where there is no such word. */
export function reviewedSummary(
	names: PacketNames,
	heard: Heard = nothingHeard,
): { readonly text: string; readonly word: ReviewWord } | null {
	const standing = standingFromFiles(names, heard);
	const word = standing === null ? null : reviewWord(names.root, names.id);
	return standing === null || word === null ? null : { text: summaryText(standing, new Date(), word), word };
}

/** Who has run a review writes its word into the summary of the packet it is about. Null: nobody waits for it. */
export function tellParent(root: string, reviewId: string, heard: Heard | null): { readonly parent: string; readonly line: string } | null {
	const review = entryOf(root, reviewId);
	if (review === null || review.type !== 'review' || review.basedOn === null) return null;
	const names = packetNames(root, review.basedOn);
	if (entryOf(root, names.id)?.archived !== false) return null;
	const now = new Date().toISOString();
	// Somebody may run the parent again by now; then its summary is theirs, and they will tell.
	const lock = acquireLock({
		file: names.lock,
		self: ownIdentity(),
		command: `dispatch, for ${reviewId}`,
		now,
		liveness: sameProcessAlive,
	});
	if (!lock.ok) return null;
	try {
		const reviewed = reviewedSummary(names, heard ?? nothingHeard);
		if (reviewed === null) return null;
		writeWhole(names.summary, reviewed.text);
		return { parent: names.id, line: reviewed.word.line };
	} finally {
		lock.value.release();
	}
}

/** Of a completed packet that asks for a review. */
function standingFromFiles(names: PacketNames, { warnings, changedInputs }: Heard): Standing | null {
	const { state, status } = standingOf(names.root, names.id);
	const text = readBytes(names.manifest, 4 * 1024 * 1024);
	const loaded = text === null ? null : parseManifest(text, names.manifest, names.id);
	const plan = readJson(names.plan, Plan);
	if (status !== 'completed' || plan === null || !loaded?.ok || loaded.value.manifest.create_review !== true) return null;
	return {
		names,
		manifest: loaded.value.manifest,
		plan,
		state,
		status,
		warnings,
		changedInputs,
		workspace: readJson(names.workspace, Workspace),
		redact: redactorOf(names),
		problem: null,
	};
}
