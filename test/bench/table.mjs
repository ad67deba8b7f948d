const colour = process.env.NO_COLOR === undefined && (process.stdout.isTTY || process.env.FORCE_COLOR !== undefined);
const red = (text) => (colour ? `\u001b[31m${text}\u001b[0m` : text);
const green = (text) => (colour ? `\u001b[32m${text}\u001b[0m` : text);

/** Whether a figure misses its goal. */
export const isShort = ({ value, most, least }) => (most !== undefined && !(value <= most)) || (least !== undefined && !(value >= least));

export const goalOf = ({ most, least }) => (most !== undefined ? `≤ ${figure(most)}` : least !== undefined ? `≥ ${figure(least)}` : '');

export function figure(value) {
	if (value === 0) return '0';
	const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	return value.toFixed(digits);
}

const verdictOf = (row) => (goalOf(row) === '' ? '' : isShort(row) ? red('falls short') : green('reached'));

export const renderRow = (row) => `${row.what}: ${figure(row.value)} ${row.unit} ${goalOf(row)} ${verdictOf(row)}`.trimEnd();

/** One line per figure, and under it what was measured beside it. */
export function renderTable(rows) {
	const cells = rows.map((row) => [row.what, `${figure(row.value)} ${row.unit}`, goalOf(row)]);
	const widths = [0, 1, 2].map((at) => Math.max(0, ...cells.map((line) => line[at].length)));
	return rows
		.flatMap((row, n) => {
			const line = `${cells[n].map((text, at) => text.padEnd(widths[at])).join('  ')}  ${verdictOf(row)}`.trimEnd();
			const beside = Object.entries(row.beside ?? {}).map(([name, value]) => `${name}: ${figure(value)}`);
			const said = rows[n + 1]?.beside === row.beside || beside.length === 0 ? [] : [`    ${beside.join(' · ')}`];
			return [line, ...said];
		})
		.join('\n');
}
