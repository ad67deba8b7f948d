import type { Complaint } from '../contract/complaint.ts';
import { type PacketState, untouched } from '../journal/packet-state.ts';
import { gravestFailed } from '../journal/standing.ts';
import { ensureDir, writeWhole } from '../packet/disk.ts';
import { linkInTheWay } from '../packet/layout.ts';
import { lockOwner } from '../packet/lock.ts';
import type { PacketNames } from '../packet/names.ts';
import { readHeadAndTail } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { entryOf } from '../queue/packet-index.ts';
import type { ReviewWord } from '../queue/review-word.ts';
import { nextActionFor } from '../report/next-action.ts';
import { orderOf } from '../report/stage-order.ts';
import { renderSummary } from '../report/summary.ts';
import { buildSummaryView, type SummaryView } from '../report/summary-view.ts';
import type { Standing } from '../run/run-order.ts';
import { failureLog } from './failure-log.ts';
import { redactorOf } from './shown-text.ts';

/** `outputs/_summary.md` of a packet that a run owns. */
export function summaryText(standing: Standing, now: Date, review: ReviewWord | null): string {
	const { names, plan, manifest, state, status, warnings, changedInputs, workspace, redact, problem } = standing;
	const view = buildSummaryView({
		taskId: names.id,
		plan,
		manifest,
		state,
		status,
		now: now.toISOString(),
		stderr: failedOutput(names, state, orderOf(plan, state)),
		problems: problem === null ? [] : problem.split('\n').map(aboutWorkspace),
		warnings,
		changedInputs,
		workspace,
		redact,
	});
	const told =
		review === null ? view : { ...view, warnings: [review.line, ...view.warnings], nextAction: review.nextAction ?? view.nextAction };
	return renderSummary(told);
}

const aboutWorkspace = (message: string): Complaint => ({
	level: 'error',
	file: 'workspace',
	line: null,
	col: null,
	message,
	excerpt: null,
});

/** `outputs/_summary.md` of a packet that cannot be run: the problems, and nothing else is written. A run that lives has its own summary. */
export function writeInvalidSummary(names: PacketNames, problems: readonly Complaint[], now: Date): void {
	if (linkInTheWay(names) !== null || (lockOwner(names.lock, sameProcessAlive)?.alive ?? 'dead') !== 'dead') return;
	const view = buildSummaryView({
		taskId: names.id,
		plan: null,
		manifest: null,
		state: untouched,
		status: 'invalid',
		now: now.toISOString(),
		problems,
		redact: redactorOf(names),
	});
	ensureDir(names.outputs);
	writeWhole(names.summary, renderSummary(withIntent(view, names)));
}

/** Where no manifest could be read as a whole, its intent is what the listings made out. */
export function withIntent(view: SummaryView, { root, id }: PacketNames): SummaryView {
	if (view.intent !== null) return view;
	const entry = entryOf(root, id);
	return { ...view, intent: entry?.intent ?? entry?.type ?? null };
}

export const nextActionOf = (standing: Standing): string =>
	nextActionFor({
		taskId: standing.names.id,
		status: standing.status,
		plan: standing.plan,
		state: standing.state,
		workspace: standing.workspace,
	});

/** What the stage said whose failure is shown: of any size, so only its ends. */
export function failedOutput(names: PacketNames, state: PacketState, order: readonly string[]): string {
	const failed = gravestFailed(state, order);
	if (!failed?.tool) return '';
	const files = { artifact: names.artifact(failed.stage), err: names.output(failed.stage, failed.tool, 'err') };
	return readHeadAndTail(failureLog(files, failed.failure.class), 64 * 1024, 64 * 1024).text;
}
