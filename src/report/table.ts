import { cut, pad, width } from './columns.ts';
import { visibleLine } from './visible.ts';

/** A heading and aligned rows. Long cells are left whole unless `most` says otherwise: nothing follows the last column. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], most = 60): string {
	const cells = [head, ...rows].map((row) => row.map((cell) => visibleLine(cell)));
	const last = head.length - 1;
	const shown = cells.map((row) => row.map((cell, at) => (at === last ? cell : cut(cell, most))));
	const widths = head.map((_, at) => Math.max(...shown.map((row) => width(row[at] ?? ''))));
	return shown.map((row) => `${row.map((cell, at) => (at === last ? cell : pad(cell, widths[at]!))).join('  ')}`.trimEnd()).join('\n');
}
