import { counted, money, seconds } from './amounts.ts';
import { cut, pad, width } from './columns.ts';
import type { StageRow } from './summary-shape.ts';
import { visibleLine } from './visible.ts';

const mostRows = 20;
const head = ['stage', 'status', 'attempt', 'duration', 'exit', 'steps', 'cost', 'gate', 'output'] as const;
/** Together with the separators no more than 200. */
const mostColumns = [44, 11, 7, 8, 5, 7, 9, 18, 60] as const;

/** The stages as a Markdown table. Of very many, those that passed are folded first; the first failed one never is. */
export function stageTable(stages: readonly StageRow[]): string[] {
	if (stages.length === 0) return [];
	const kept = stages.length <= mostRows ? stages : condensed(stages);
	const folded = stages.filter((stage) => !kept.includes(stage));
	const rows = [head, ...kept.map(cells), ...(folded.length > 0 ? [foldedCells(folded)] : [])];
	const shown = rows.map((row) => row.map((cell, at) => cut(visibleLine(cell).replaceAll('|', '\\|'), mostColumns[at]!)));
	const widths = head.map((_, at) => Math.max(...shown.map((row) => width(row[at]!))));
	const lines = shown.map((row) => `| ${row.map((cell, at) => pad(cell, widths[at]!)).join(' | ')} |`);
	return [lines[0]!, `|${widths.map((columns) => '-'.repeat(columns + 2)).join('|')}|`, ...lines.slice(1)];
}

function condensed(stages: readonly StageRow[]): StageRow[] {
	const gravity: Readonly<Record<StageRow['status'], number>> = {
		failed: 0,
		interrupted: 1,
		running: 1,
		waiting: 1,
		pending: 2,
		passed: 3,
	};
	const grave = [...stages].sort((a, b) => gravity[a.status] - gravity[b.status]).slice(0, mostRows - 1);
	return stages.filter((stage) => grave.includes(stage));
}

function cells(stage: StageRow): string[] {
	return [
		stage.name,
		stage.status,
		stage.attempt === 0 ? '-' : String(stage.attempt),
		stage.durationSec === null ? '-' : seconds(stage.durationSec),
		stage.exitCode === null ? '-' : String(stage.exitCode),
		stage.steps === null ? '-' : String(stage.steps),
		stage.costUsd === null ? '-' : money(stage.costUsd),
		stage.gate,
		stage.output ?? '-',
	];
}

function foldedCells(folded: readonly StageRow[]): string[] {
	const passed = folded.filter((stage) => stage.status === 'passed').length;
	return [`… ${counted(folded.length, 'more stage')}`, `${passed} passed`, '', '', '', '', '', '', ''];
}
