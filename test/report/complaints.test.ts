import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Complaint } from '../../src/contract/complaint.ts';
import { width } from '../../src/report/columns.ts';
import { shownComplaint } from '../../src/report/complaints.ts';
import { visible } from '../../src/report/visible.ts';

const at = (excerpt: string, mark: string): Complaint => ({
	level: 'error',
	file: 'm.yaml',
	line: 1,
	col: excerpt.indexOf(mark) + 1,
	message: 'wrong',
	excerpt,
});
const shown = (complaint: Complaint) => shownComplaint(complaint).split('\n').slice(1).join('\n');

test('a line is shown as it is written, with its caret', () => {
	expect(shownComplaint(at('goal: fix', 'fix'))).toBe('m.yaml:1:7  error  wrong\n    1 | goal: fix\n      |       ^');
	expect(shown(at('\tgoal: fix', 'fix'))).toBe('    1 |  goal: fix\n      |        ^');
});

test('the caret stands below its character, however wide what stands before it is shown', () => {
	expect(shown(at('目的: 👍 x', 'x'))).toBe('    1 | 目的: 👍 x\n      |          ^');
	expect(shown(at('a\x1b[31m: x', 'x'))).toBe('    1 | a\\x1b[31m: x\n      |            ^');
	expect(shown(at('e\u0301: x', 'x'))).toBe('    1 | e\u0301: x\n      |    ^');
});

test('of a long line the part around the place is shown', () => {
	const line = JSON.stringify({ task_id: 't', goal: 'g'.repeat(300), intent: 'nope', list: 'l'.repeat(300) });
	expect(shown(at(line, '"nope"'))).toBe(
		`    1 | …${'g'.repeat(48)}","intent":"nope","list":"${'l'.repeat(84)}…\n      | ${' '.repeat(60)}^`,
	);
	expect(shown(at(line, '"t"'))).toBe(`    1 | {"task_id":"t","goal":"${'g'.repeat(136)}…\n      |            ^`);
	expect(shown(at(`${'界'.repeat(200)}x`, 'x'))).toBe(`    1 | …${'界'.repeat(29)}x\n      | ${' '.repeat(59)}^`);
	expect(shown(at(`${'y'.repeat(150)}x`, 'x'))).toBe(`    1 | ${'y'.repeat(150)}x\n      | ${' '.repeat(150)}^`);
});

test('a place past the end of what is known of its line is shown without a line', () => {
	expect(shownComplaint({ ...at('short', 'short'), col: 9 })).toBe('m.yaml:1:9  error  wrong');
});

test('whatever a line holds, it is short, and the caret points at the character that was meant', () => {
	const text = fc.string({
		unit: fc.oneof(
			fc.constantFrom('a', '"', '界', '👍', '\t', '\x1b', '\u0301', '\u202e'),
			fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
		),
		maxLength: 400,
	});
	fc.assert(
		fc.property(text, text, (before, after) => {
			const complaint = { ...at('', ''), excerpt: `${before}§${after}`.replaceAll('\n', ''), col: before.replaceAll('\n', '').length + 1 };
			const [line = '', caret = ''] = shown(complaint).split('\n');
			expect(width(line)).toBeLessThanOrEqual(170);
			const column = caret.indexOf('^');
			const upTo = [...line].reduce((found, char) => (width(found) < column ? found + char : found), '');
			const rest = line.slice(upTo.length).replace(/^\p{M}+/u, '');
			expect(rest[0]).toBe('§');
			expect(visible(line)).toBe(line);
		}),
	);
});
