import { counted, grouped, money, seconds } from './amounts.ts';
import type { StatsDocument, StatsRow } from './stats-rows.ts';
import { renderTable, type TableOptions } from './table.ts';

/** A row per servant, role and model, and the sum of all. */
export function renderStats({ rows, total }: StatsDocument, fit: Pick<TableOptions, 'columns'> = {}): string {
	if (rows.length === 0) return 'No calls yet.';
	const head = ['servant', 'role', 'model', 'calls', 'success', 'p50', 'p95', 'steps', 'tokens in', 'cached', 'tokens out', 'cost'];
	const sum = cells(total);
	return renderTable(head, [...rows.map(cells), ['total', '', '', ...sum.slice(3)]], fit);
}

function cells(row: StatsRow): string[] {
	return [
		row.tool ?? '-',
		row.role ?? '-',
		row.model ?? '-',
		grouped(row.calls),
		`${Math.round(row.success_rate * 100)}%`,
		...[row.p50_sec, row.p95_sec].map((sec) => (sec === null ? '-' : seconds(sec))),
		...[row.steps, row.input_tokens, row.cached_input_tokens, row.output_tokens].map((n) => (n === null ? '-' : grouped(n))),
		cost(row),
	];
}

function cost({ cost_usd, cost_unknown }: StatsRow): string {
	if (cost_usd === null) return 'unknown';
	return cost_unknown === 0 ? money(cost_usd) : `${money(cost_usd)} (${counted(cost_unknown, 'call')} unknown)`;
}
