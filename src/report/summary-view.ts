import { failedStages, gravestFailed, verdictOf } from '../journal/standing.ts';
import { statsOf } from '../journal/totals.ts';
import { budgetsOf } from './budgets.ts';
import { quoted } from './complaints.ts';
import { headlineOf } from './headline.ts';
import { nextActionFor } from './next-action.ts';
import { orderOf } from './stage-order.ts';
import { stageRows } from './stage-rows.ts';
import type { FailureView, SummarySource, SummaryView } from './summary-shape.ts';
import { warningsOf } from './warnings.ts';

export type { SummarySource, SummaryView } from './summary-shape.ts';

/** What the fold of a journal, a plan and what else is known come to; laid out by `renderSummary`. */
export function buildSummaryView(source: SummarySource): SummaryView {
	const { taskId, plan, manifest, state, status, now, problems = [], workspace = null, redact = (text: string) => text } = source;
	const order = orderOf(plan, state);
	const stages = stageRows(state, order, status);
	const totals = statsOf(state);
	const verdict = verdictOf(state, order);
	return {
		taskId,
		status,
		intent: plan?.intent ?? manifest?.routing?.intent ?? manifest?.task_type ?? null,
		profile: plan?.profile ?? manifest?.routing?.pipeline?.profile ?? null,
		group: manifest?.group ?? null,
		nextAction: redact(nextActionFor({ taskId, status, plan, state, workspace })),
		verdict,
		updated: now,
		headline: redact(headlineOf({ status, stages, state, order, verdict, problems: problems.length })),
		stages,
		budgets: budgetsOf(plan, manifest, state),
		steps: totals.steps,
		turns: totals.num_turns_reported,
		usage: totals.usage,
		workspace: workspace?.branch ? { branch: workspace.branch, path: workspace.path } : null,
		warnings: warningsOf(source).map(redact),
		problems: problems.map((problem) => quoted(problems.length > mostQuoted ? { ...problem, excerpt: null } : problem, redact)),
		failure: failureOf(source, order, redact),
	};
}

/** Lines may be long, and a summary has no room for the lines of more problems. */
const mostQuoted = 40;

function failureOf({ state, stderr = '' }: SummarySource, order: readonly string[], redact: (text: string) => string): FailureView | null {
	const stage = gravestFailed(state, order);
	if (stage === null) return null;
	return {
		class: stage.failure.class,
		signature: stage.failure.signature,
		stage: stage.stage,
		tool: stage.tool,
		attempt: stage.attempt,
		exitCode: stage.meta?.exit_code ?? null,
		reason: redact(stage.failure.reason),
		stderr: redact(ends(stderr)),
		others: failedStages(state, order)
			.filter((other) => other !== stage)
			.map((other) => redact(inShort(other))),
	};
}

/** The command first: it must not be cut off behind a long reason. */
function inShort({ stage, failure }: ReturnType<typeof failedStages>[number]): string {
	const todo = failure.next_action?.replace(/^[a-z_]+: /, '');
	return `${stage} (${failure.class})${todo ? `: ${todo}` : ''}. ${failure.reason}`;
}

/**
 * Redaction is linear, but megabytes of it would still be felt after every stage. 64 KiB at each end is far more than the
 * forty lines that are shown, so a key that spans lines is still recognised whole.
 */
function ends(text: string): string {
	const most = 65_536;
	return text.length <= 2 * most ? text : `${text.slice(0, most)}\n…\n${text.slice(-most)}`;
}
