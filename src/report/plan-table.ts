import type { Explanation, Level, Plan, PlannedStage } from '../contract/plan.ts';
import { counted, money, wholeSeconds } from './amounts.ts';
import { renderTable, type TableOptions } from './table.ts';
import { visibleLine } from './visible.ts';

/** The plan as a table, then where each of its values came from. */
export function renderPlan(plan: Plan, fit: Pick<TableOptions, 'columns'> = {}): string {
	const { budgets } = plan;
	const cost = budgets.max_cost_usd === null ? 'no cost limit' : `at most ${money(budgets.max_cost_usd)}`;
	const parts = [
		`${visibleLine(plan.task_id)}: profile ${visibleLine(plan.profile)} of group ${visibleLine(plan.group)}, ${counted(plan.stages.length, 'stage')}, workspace ${plan.workspace}`,
		`budgets: ${counted(budgets.paid_call_budget, 'paid call')}, ${counted(budgets.retry_budget, 'retry').replace('retrys', 'retries')} per signature, ${limit(budgets.max_wallclock_sec)} per attempt, ${cost}`,
		'',
		renderTable(stageHead, plan.stages.map(stageCells), fit),
		'',
		renderTable(['stage', 'field', 'value', 'source'], plan.stages.flatMap(sourceRows), fit),
	];
	if (plan.warnings.length > 0) parts.push('', ...plan.warnings.map((warning) => `warning: ${visibleLine(warning)}`));
	return parts.join('\n');
}

const stageHead = ['stage', 'tool', 'role', 'access', 'model', 'effort', 'timeout', 'steps', 'fallback', 'needs'];

function stageCells(stage: PlannedStage): string[] {
	const timeout = `${limit(stage.timeout_sec)}${stage.timeout_mode === 'wait_done' ? ' (wait_done)' : ''}`;
	const list = (names: readonly string[]) => (names.length === 0 ? '-' : names.join(', '));
	const { name, tool, role, access, model, effort, max_steps, fallback, needs } = stage;
	return [name, tool, role, access, model ?? '-', effort ?? '-', timeout, String(max_steps), list(fallback), list(needs)];
}

const limit = (sec: number): string => (sec === 0 ? 'no limit' : sec < 60 ? `${sec}s` : wholeSeconds(sec));

function sourceRows(stage: PlannedStage): string[][] {
	const values = stage as unknown as Readonly<Record<string, unknown>>;
	return Object.entries(stage.sources).map(([field, source]) => [stage.name, field, shownValue(values[field]), source]);
}

/**
 * Every level that was tried for a stage's values, in order, losers included:
 *
 *     model = pro
 *       → purpose_models.review  pro    configs/servant/gemini.yaml:9:11
 *         default_model          flash  package default
 */
export function renderExplanation(stage: string, explanation: Explanation): string {
	const fields = Object.entries(explanation[stage] ?? {});
	if (fields.length === 0) return `${visibleLine(stage)}: nothing was resolved`;
	return [visibleLine(stage), ...fields.map(([field, levels]) => explained(field, levels))].join('\n\n');
}

function explained(field: string, levels: readonly Level[]): string {
	const won = levels.find((level) => level.won);
	const rows = levels.map((level) => [level.won ? `→ ${level.level}` : `. ${level.level}`, shownValue(level.value), level.source ?? '']);
	const table = renderTable(['level', 'value', 'source'], rows).split('\n').slice(1);
	const marked = table.map((line) => `  ${line.startsWith('. ') ? `  ${line.slice(2)}` : line}`);
	return [`${visibleLine(field)} = ${shownValue(won?.value)}`, ...marked].join('\n');
}

export interface ConfigRow {
	readonly key: string;
	readonly value: unknown;
	readonly source: string;
}

export const renderConfig = (rows: readonly ConfigRow[]): string =>
	renderTable(
		['key', 'value', 'source'],
		rows.map(({ key, value, source }) => [key, shownValue(value), source]),
	);

function shownValue(value: unknown): string {
	if (value === null || value === undefined || value === '') return '-';
	return typeof value === 'object' ? JSON.stringify(value) : visibleLine(String(value));
}
