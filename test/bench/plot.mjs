import { figure, goalOf, isShort } from './table.mjs';

const width = 860;
const rowHeight = 26;
const left = 330;
const right = 170;

/** Every figure as a part of its goal: the line is the goal, left of it is better. One scale for all, so that slack and shortage can be seen. */
export function plot(rows) {
	const shown = rows.filter((row) => goalOf(row) !== '');
	const part = ({ value, most, least }) => (most !== undefined ? value / most : least / value);
	const scale = (width - left - right) / 1.5;
	const height = shown.length * rowHeight + 60;
	const bars = shown.map((row, n) => {
		const y = 40 + n * rowHeight;
		const length = Math.max(2, Math.min(1.5, part(row)) * scale);
		const fill = isShort(row) ? '#c0392b' : '#2e8b57';
		return [
			`<text x="${left - 8}" y="${y + 14}" text-anchor="end">${escaped(row.what)}</text>`,
			`<rect x="${left}" y="${y + 3}" width="${length.toFixed(1)}" height="${rowHeight - 10}" fill="${fill}"/>`,
			`<text x="${(left + length + 6).toFixed(1)}" y="${y + 14}">${escaped(`${figure(row.value)} ${row.unit} (${goalOf(row)})`)}</text>`,
		].join('');
	});
	const goal = left + scale;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 120}" height="${height}" viewBox="0 0 ${width + 120} ${height}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="20" font-size="14">Measured, as a part of the goal (shorter is better)</text>
${bars.join('\n')}
<line x1="${goal}" y1="30" x2="${goal}" y2="${height - 16}" stroke="#333" stroke-dasharray="4 3"/>
<text x="${goal}" y="${height - 4}" text-anchor="middle">goal</text>
</svg>
`;
}

const escaped = (text) => text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one]);
