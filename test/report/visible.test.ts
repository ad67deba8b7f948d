import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DispatchEvent } from '../../src/contract/event.ts';
import { cut, width, wrap } from '../../src/report/columns.ts';
import { ndjsonLine } from '../../src/report/ndjson.ts';
import { visible, visibleLine } from '../../src/report/visible.ts';
import { story } from '../journal/story.ts';

test.each([
	['colour', '\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
	['a window title', '\x1b]0;gotcha\x07', '\\x1b]0;gotcha\\x07'],
	['a carriage return that overwrites the line', 'PASS\rFAIL', 'PASS\\x0dFAIL'],
	['Windows line ends', 'a\r\nb', 'a\nb'],
	['NUL, backspace, DEL', '\0\b\x7f', '\\x00\\x08\\x7f'],
	['the one-byte escape introducer (C1)', '\x9b2J', '\\x9b2J'],
	['reversed reading direction', 'abc\u202edcb\u202c', 'abc\\u202edcb\\u202c'],
	['isolates', '\u2066x\u2069', '\\u2066x\\u2069'],
	['zero-width characters', 'a\u200bb\u200dc\ufeffd', 'a\\u200bb\\u200dc\\ufeffd'],
	['line separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
	['tag characters', '\u{e0041}', '\\u{e0041}'],
	['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
	['tabs', 'a\tb', 'a    b'],
	['everything else', 'naïve 日本 👍 $x', 'naïve 日本 👍 $x'],
])('%s cannot act on the terminal', (_, raw, shown) => {
	expect(visible(raw)).toBe(shown);
});

test('one line stays one line', () => {
	expect(visibleLine('  first\r\n\n   second\n')).toBe('first second');
});

test('nothing a servant said reaches the terminal raw', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (text) => {
			expect(visible(text)).not.toMatch(/[^\P{C}\n\p{Co}\p{Cn}]/u);
			expect(visible(visible(text))).toBe(visible(text));
			expect(visibleLine(text)).not.toContain('\n');
		}),
	);
});

test('a text is cut by the columns it takes', () => {
	expect(cut('hello', 5)).toBe('hello');
	expect(cut('hello!', 5)).toBe('hell…');
	expect(cut('日本語です', 6)).toBe('日本…');
	expect(cut('x', 0)).toBe('');
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
			const short = cut(visibleLine(text), columns);
			expect(short.length).toBeLessThanOrEqual(columns);
			expect(width(short)).toBeLessThanOrEqual(columns);
		}),
	);
});

test('wrapping breaks at spaces and loses no word', () => {
	expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
	expect(wrap('abcdefghij', 4)).toEqual(['abc', 'def', 'ghij']);
});

test('an event is one line of JSON that a terminal can be shown, and loses nothing', () => {
	const event: DispatchEvent = story().failed('codex_review', { reason: 'a\nb \x1b[2J \x9b \u202e 👍 \u{e0041}' });
	const line = ndjsonLine(event);
	expect(line.indexOf('\n')).toBe(line.length - 1);
	expect(line).toContain('a\\nb \\u001b[2J \\u009b \\u202e 👍 \\udb40\\udc41');
	expect(JSON.parse(line)).toEqual(event);
});
