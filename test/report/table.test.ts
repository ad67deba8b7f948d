import { expect, test } from 'vitest';
import { width } from '../../src/report/columns.ts';
import { renderTable } from '../../src/report/table.ts';

const head = ['servant', 'program', 'version', 'login', 'calls', ''];
const rows = [
	['codex', '/home/somebody/.local/share/programs/bin/codex', '9.9.9 (not tried with dispatch)', 'not seen', '12,345', 'not usable'],
	['gemini', 'not installed', '-', 'cannot be seen', '7', 'usable'],
];

test('a table fits the window: the widest words give way, amounts do not', () => {
	expect(renderTable(head, rows, { columns: 80 })).toBe(
		[
			'servant  program           version            login           calls',
			'codex    /home/somebody/…  9.9.9 (not tried…  not seen        12,345  not usable',
			'gemini   not installed     -                  cannot be seen  7       usable',
		].join('\n'),
	);
});

test('without a window, or with room enough, it is as wide as it gets', () => {
	const whole = renderTable(head, rows);
	expect(whole).toContain('/home/somebody/.local/share/programs/bin/codex  9.9.9 (not tried with dispatch)  not seen');
	expect(renderTable(head, rows, { columns: null })).toBe(whole);
	expect(renderTable(head, rows, { columns: Math.max(...whole.split('\n').map(width)) })).toBe(whole);
});

test('what cannot fit is told row by row', () => {
	expect(renderTable(head, rows, { columns: 40 })).toBe(
		[
			'codex',
			'  program /home/somebody/.local/share/p',
			'  rograms/bin/codex, version 9.9.9',
			'  (not tried with dispatch), login not',
			'  seen, calls 12,345, not usable',
			'gemini',
			'  program not installed, login cannot',
			'  be seen, calls 7, usable',
		].join('\n'),
	);
});
