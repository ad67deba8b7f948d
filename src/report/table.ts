import { cut, pad, width, wrap } from './columns.ts';
import { visibleLine } from './visible.ts';

export interface TableOptions {
	/** The widest a cell may be, but in the last column: nothing follows that. */
	readonly most?: number;
	/** Of the window, which it is made to fit; null: as wide as it gets. */
	readonly columns?: number | null;
}

/** A heading and aligned rows; of a window too narrow for that, row by row. */
export function renderTable(
	head: readonly string[],
	rows: readonly (readonly string[])[],
	{ most = 60, columns = null }: TableOptions = {},
): string {
	const cells = [head, ...rows].map((row) => row.map((cell) => visibleLine(cell)));
	const last = head.length - 1;
	const whole = cells.map((row) => row.map((cell, at) => (at === last ? cell : cut(cell, most))));
	const natural = head.map((_, at) => Math.max(...whole.map((row) => width(row[at] ?? ''))));
	const widths = columns === null ? natural : fitted(natural, columns - gap * last, (at) => isRigid(whole.slice(1), at));
	if (widths === null)
		return cells
			.slice(1)
			.map((row) => record(cells[0]!, row, columns ?? 0))
			.join('\n');
	const shown = whole.map((row) => row.map((cell, at) => pad(width(cell) > widths[at]! ? cut(cell, widths[at]!) : cell, widths[at]!)));
	return shown.map((row) => row.join(' '.repeat(gap)).trimEnd()).join('\n');
}

const gap = 2;
/** A name that is cut further could be any. */
const least = 12;

/** Takes from the widest columns of words until all fit; null if these cannot give so much. */
function fitted(natural: readonly number[], room: number, rigid: (at: number) => boolean): readonly number[] | null {
	const widths = [...natural];
	const giving = widths.map((_, at) => at).filter((at) => !rigid(at));
	for (let over = widths.reduce((sum, one) => sum + one, 0) - room; over > 0; over--) {
		const widest = giving.reduce<number | null>((best, at) => (best === null || widths[at]! > widths[best]! ? at : best), null);
		if (widest === null || widths[widest]! <= least) return null;
		widths[widest]!--;
	}
	return widths;
}

/** What a row says, each value with its heading, in as many lines as that takes. */
function record(head: readonly string[], [first = '', ...others]: readonly string[], columns: number): string {
	const said = others.map((cell, at) => ({ cell, name: head[at + 1] ?? '' })).filter(({ cell }) => cell !== '' && cell !== '-');
	const words = said.map(({ cell, name }) => `${name} ${cell}`.trim()).join(', ');
	return [first, ...wrap(words, Math.max(20, columns - indent.length)).map((line) => `${indent}${line}`)].join('\n');
}

const indent = '  ';

/** Half an amount is another amount. */
const isRigid = (rows: readonly (readonly string[])[], at: number): boolean => rows.every((row) => /^(?:-|[$\d]\S*)?$/.test(row[at] ?? ''));
