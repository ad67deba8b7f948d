import { basename } from 'node:path';
import { Workspace } from '../contract/state-files.ts';
import { TaskType } from '../contract/words.ts';
import { foldJournal } from '../journal/fold.ts';
import { readJournal } from '../packet/journal-file.ts';
import { readHeadAndTail, readJson, sizeOf } from '../packet/read.ts';
import type { LineageText } from '../run/run-context.ts';
import { branchDiff } from '../worktree/branch.ts';
import { type Ancestor, ancestorsOf, namesOf, patchesOf } from './ancestors.ts';
import { entryOf, indexPackets, type PacketEntry } from './packet-index.ts';

/**
 * What the chain before a packet produced, as far as its kind of task wants it:
 *
 *   explore ─▶ plan ─▶ implement ─▶ review ─▶ improve
 *       each gets what was explored and planned; a review also the change it is about, an improvement also the review
 */
export async function lineageOf(root: string, id: string): Promise<LineageText[]> {
	const entry = entryOf(root, id);
	if (entry === null || entry.dependsOn.length === 0) return [];
	const kind = kindOf(entry);
	// What a plan was made from is in the plan.
	const before = ancestorsOf(root, id, (one) => kindOf(one) === 'plan');
	const texts = before.filter(({ entry: one }) => kindOf(one) === 'plan' || kindOf(one) === 'explore').flatMap(resultOf);
	if (kind === 'review') texts.push(...(await diffBefore(root, before)));
	if (kind === 'improve') texts.push(...reviewBefore(root, before).flatMap(resultOf));
	return texts;
}

/** A packet's task type; one without is known by its intent. */
export function kindOf({ type, intent, verdict }: PacketEntry): TaskType | null {
	if (type !== null) return type;
	const named = TaskType.safeParse(intent);
	if (named.success) return named.data;
	return intent === 'standard' ? 'plan' : verdict !== null || /review/.test(intent ?? '') ? 'review' : null;
}

/** The artifact of the last stage that has one, else the last stage's answer. */
function resultOf({ entry, names }: Ancestor): LineageText[] {
	const passed = [...foldJournal(readJournal(names.journal)).stages.values()].filter((stage) => stage.status === 'passed').reverse();
	const files = [
		...passed.map(({ stage }) => names.artifact(stage)),
		...passed.map(({ stage, tool }) => names.output(stage, tool ?? '', 'out')),
	];
	const file = files.find((one) => (sizeOf(one) ?? 0) > 0);
	return file === undefined ? [] : [textOf(entry, file)];
}

/** Of the nearest packet that changed something: what its branch adds to its base, or, where the branch is gone, the patches it left. */
async function diffBefore(root: string, before: readonly Ancestor[]): Promise<LineageText[]> {
	for (const { entry, names } of before) {
		const facts = readJson(names.workspace, Workspace);
		const patches = patchesOf(names);
		if (facts?.branch && facts.base) {
			const diff = await branchDiff({ root, branch: facts.branch, base: facts.base });
			if (diff.ok && diff.value !== '') return [{ path: `${entry.id}/branch.diff`, text: shortened(diff.value) }];
		}
		if (patches.length > 0) return patches.map((file) => textOf(entry, file));
	}
	return [];
}

/** The review an improvement follows: one it depends on, else the newest of the packet it continues. */
function reviewBefore(root: string, before: readonly Ancestor[]): Ancestor[] {
	const named = before.find(({ entry }) => kindOf(entry) === 'review');
	if (named !== undefined) return [named];
	const parents = new Set(before.map(({ entry }) => entry.id));
	const reviews = indexPackets(root).filter(
		(entry) => entry.status === 'completed' && kindOf(entry) === 'review' && entry.basedOn !== null && parents.has(entry.basedOn),
	);
	return reviews.slice(-1).map((entry) => ({ entry, names: namesOf(root, entry) }));
}

const MiB = 1024 * 1024;
const textOf = (entry: PacketEntry, file: string): LineageText => ({
	path: `${entry.id}/outputs/${basename(file)}`,
	text: readHeadAndTail(file, 6 * MiB, 2 * MiB).text,
});

/** No servant reads more. */
function shortened(text: string): string {
	const most = 8 * MiB;
	return text.length <= most ? text : `${text.slice(0, most)}\n… ${text.length - most} more characters left out …\n`;
}
