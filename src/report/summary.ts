import { counted, grouped, money, seconds } from './amounts.ts';
import { cut, wrap } from './columns.ts';
import { shownComplaint } from './complaints.ts';
import { fencedEnds } from './fenced-ends.ts';
import { frontMatter } from './front-matter.ts';
import { stageTable } from './stage-table.ts';
import type { FailureView, SummaryView } from './summary-shape.ts';
import { visibleLine } from './visible.ts';

/** With the newline at the end even a reader that counts it as the start of another line counts 80. */
const mostLines = 79;
const mostColumns = 200;

/**
 * `_summary.md`: at most 80 lines of at most 200 characters, whatever the view holds. Each part has a share that leaves
 * room for those that matter more; the stderr gets what is left.
 */
export function renderSummary(view: SummaryView): string {
	const parts = [
		[...frontMatter(view), '', headline(view)],
		stageTable(view.stages),
		facts(view),
		list('Warnings', view.warnings),
		view.failure === null ? [] : failureLines(view.failure),
		view.failure === null ? [] : list('Other failures', view.failure.others, 4),
	];
	parts.splice(1, 0, problemLines(view, roomBeside(parts)));
	// Before the others, so that nobody takes it for theirs.
	if (view.failure !== null) parts.splice(-1, 0, fencedEnds(view.failure.stderr, roomBeside(parts), mostColumns));
	const lines = parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
	return `${lines
		.slice(0, mostLines)
		.map((line) => cut(line, mostColumns))
		.join('\n')}\n`;
}

/** Lines left for one more part, the empty line before it taken off. */
const roomBeside = (parts: readonly (readonly string[])[]): number =>
	mostLines - parts.filter((part) => part.length > 0).reduce((sum, part) => sum + part.length + 1, 0);

/** What happened and what to do, on one line; of a long story the beginning, of what to do as much as fits. */
function headline(view: SummaryView): string {
	const todo = visibleLine(view.nextAction).replace(/^[a-z_]+: /, '');
	return `**${view.status}**: ${cut(visibleLine(view.headline), 110)}${todo === '' ? '' : ` Next: ${todo}`}`;
}

function facts({ budgets, steps, turns, usage, workspace }: SummaryView): string[] {
	const lines: string[] = [];
	if (budgets !== null) {
		const { paidCalls, cost } = budgets;
		const doubt = paidCalls.inDoubt > 0 ? ` (${paidCalls.inDoubt} in doubt)` : '';
		const spent = cost.usedUsd === null ? (paidCalls.used > 0 ? 'unknown' : money(0)) : money(cost.usedUsd);
		const unknown = cost.usedUsd !== null && cost.unknownCalls > 0 ? ` (${counted(cost.unknownCalls, 'call')} of unknown cost)` : '';
		lines.push(
			`Budgets (used / allowed): paid calls ${paidCalls.used} / ${paidCalls.allowed}${doubt}; ` +
				`cost ${spent} / ${cost.allowedUsd === null ? 'no limit' : money(cost.allowedUsd)}${unknown}; ` +
				`retries per signature ${budgets.retriesPerSignature}; ` +
				`wall clock per attempt ${budgets.wallclockSec === 0 ? 'no limit' : seconds(budgets.wallclockSec)}`,
		);
	}
	if (steps !== null)
		lines.push(`Steps: ${grouped(steps)}${turns !== null && turns !== steps ? ` (legacy turns: ${grouped(turns)})` : ''}`);
	else if (turns !== null) lines.push(`Turns: ${grouped(turns)}`);
	const { input_tokens, cached_input_tokens, output_tokens } = usage;
	if (input_tokens !== null || output_tokens !== null) {
		const cached = cached_input_tokens === null ? '' : ` (${grouped(cached_input_tokens)} cached)`;
		lines.push(`Tokens: ${tokens(input_tokens)} in${cached}, ${tokens(output_tokens)} out`);
	}
	if (workspace !== null) lines.push(`Workspace: branch ${visibleLine(workspace.branch)} in ${visibleLine(workspace.path)}`);
	return lines;
}

const tokens = (n: number | null): string => (n === null ? 'unknown' : grouped(n));

function list(title: string, items: readonly string[], most = 8): string[] {
	if (items.length === 0) return [];
	const shown = items.length > most ? [...items.slice(0, most - 1), `… ${items.length - most + 1} more`] : items;
	return [`## ${title}`, '', ...shown.map((item) => `- ${visibleLine(item)}`)];
}

/** With the offending lines if there is room for them all, else the complaints alone, else as many as fit. */
function problemLines({ problems }: SummaryView, room: number): string[] {
	if (problems.length === 0) return [];
	const whole = problems.map((problem) => shownComplaint(problem).split('\n'));
	const space = room - 4;
	const title = ['## Problems', '', '```text'];
	const guarded = (lines: readonly string[]) => [...title, ...lines.map((line) => line.replace(/^(\s{0,3})```/, "$1'''")), '```'];
	if (whole.flat().length <= space) return guarded(whole.flat());
	const heads = whole.map((lines) => lines[0]!);
	if (heads.length <= space) return guarded(heads);
	const fit = Math.max(0, space - 1);
	return guarded([...heads.slice(0, fit), `… ${counted(heads.length - fit, 'more problem')}`]);
}

function failureLines(failure: FailureView): string[] {
	const exit = failure.exitCode === null ? '' : `, exit ${failure.exitCode}`;
	const stage = `${visibleLine(failure.stage)} (${visibleLine(failure.tool ?? 'no tool')}, attempt ${failure.attempt}${exit})`;
	const reason = failure.reason
		.slice(0, 4000)
		.split('\n')
		.flatMap((line) => wrap(visibleLine(line), mostColumns - 12));
	const most = 8;
	const shown = reason.length > most ? [...reason.slice(0, most - 1), `… ${counted(reason.length - most + 1, 'more line')}`] : reason;
	return [
		'## Failure',
		'',
		`- class: ${visibleLine(failure.class)}`,
		`- signature: ${visibleLine(failure.signature)}`,
		`- stage: ${stage}`,
		...(shown.length === 0 ? ['- reason: -'] : shown.map((line, at) => (at === 0 ? `- reason: ${line}` : `  ${line}`))),
	];
}
