import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readYaml } from '../../src/config/read-yaml.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';
import { cpuMs } from '../cpu-time.ts';
import { text } from './project.ts';

const complaints = (source: string | Uint8Array) => readYaml(source, 'a.yaml').complaints.map(renderComplaint).join('\n');

describe('a position', () => {
	const yaml = readYaml('a: 1\nb:\n  - x\n  - y: {z: 2}\nc: &here\n  d: 3\ne: *here\nf:\n', 'a.yaml');
	test.each([
		[['a'], 'value', 1, 4],
		[['a'], 'key', 1, 1],
		[['b'], 'value', 2, 1],
		[['b', 1, 'y'], 'value', 4, 8],
		[['b', 1, 'y', 'z'], 'value', 4, 12],
		[['e', 'd'], 'value', 6, 6],
		[['f'], 'value', 8, 1],
		[['b', 1, 'missing'], 'value', 4, 5],
		[['nowhere'], 'key', 1, 1],
	] as const)('of the path %j (%s) is %i:%i', (path, what, line, col) => {
		expect(yaml.locate(path, what)).toEqual({ line, col });
	});

	test('is right in a file with Windows line ends and a byte order mark', () => {
		const crlf = readYaml(Buffer.from('\uFEFFa: 1\r\nb: 2\r\n'), 'a.yaml');
		expect(crlf.locate(['b'])).toEqual({ line: 2, col: 4 });
		expect(crlf.excerpt(2)).toBe('b: 2');
	});
});

test('an empty file is an empty map', () => {
	expect(readYaml('# nothing yet\n', 'a.yaml')).toMatchObject({ value: {}, complaints: [] });
});

describe('what is no map of keys is a complaint in our words', () => {
	test.each<[string, string | Uint8Array, string]>([
		['a list', '- a\n', 'a.yaml:1:1  error  expected keys with values (key: value), got a list\n    1 | - a\n      | ^'],
		[
			'a second colon',
			'goal: fix: it',
			'a.yaml:1:7  error  a second "key:" within one value; quote the text, or put the keys on lines of their own below\n    1 | goal: fix: it\n      |       ^',
		],
		['a tab', 'a:\n\tb: 1', 'a.yaml:2:1  error  a tab is used for indentation; use spaces\n    2 | \tb: 1\n      | ^'],
		[
			'a second document',
			'a: 1\n---\nb: 2',
			'a.yaml:2:1  error  a second YAML document starts here; only one is read\n    2 | ---\n      | ^',
		],
		[
			'an open bracket',
			'a: [1, 2\nb: 3',
			'a.yaml:2:1  error  a bracket is opened above and not closed, or what is inside is not indented\n    2 | b: 3\n      | ^',
		],
		[
			'an open quote',
			'task_id: t\ngoal: "unterminated\ntask_type: review\n',
			'a.yaml:2:7  error  a quote is opened and not closed\n    2 | goal: "unterminated\n      |       ^',
		],
		[
			'an open quote in a file cut short',
			'{"a": 1,\n "b": "c\n',
			'a.yaml:2:7  error  a quote is opened and not closed\n    2 |  "b": "c\n      |       ^',
		],
		[
			'a pair in an open list',
			'{"a": [1, "b": 2',
			'a.yaml:1:7  error  a bracket is opened and not closed\n    1 | {"a": [1, "b": 2\n      |       ^',
		],
		[
			'a bracket that is open at the end of the file',
			'a: 1\nb: [1, {c: 2}, [3]\n\n',
			'a.yaml:2:4  error  a bracket is opened and not closed\n    2 | b: [1, {c: 2}, [3]\n      |    ^',
		],
		[
			'a tag',
			'a: !foo 1',
			'a.yaml:1:4  error  YAML tags (!) are not supported here; quote the text if it starts with "!"\n    1 | a: !foo 1\n      |    ^',
		],
		['an unknown alias', 'a: *b', 'a.yaml:1:4  error  nothing is called "&b" before this alias\n    1 | a: *b\n      |    ^'],
		['a NUL byte', 'a: 1\nb: \0', 'a.yaml:2:4  error  a NUL byte is not allowed; is this a text file?\n    2 | b: \0\n      |    ^'],
		[
			'other bytes than UTF-8',
			Uint8Array.of(97, 58, 10, 98, 58, 32, 0xff),
			'a.yaml:2:4  error  the file is not UTF-8 text\n    2 | b: \uFFFD\n      |    ^',
		],
		['too many bytes', 'a'.repeat(100_000_000), 'a.yaml  error  the file is larger than 1 MiB'],
	])('%s', (_, source, expected) => {
		expect(complaints(source)).toBe(expected);
	});
});

test('duplicate, dangerous and unreadable keys are all named at once', () => {
	expect(complaints('a: 1\nb: 2\na: 3\n__proto__: 4\n[x]: 5\n')).toBe(
		text(`
		a.yaml:3:1  error  the key "a" occurs twice here
		    3 | a: 3
		      | ^
		a.yaml:4:1  error  the key "__proto__" is not allowed
		    4 | __proto__: 4
		      | ^
		a.yaml:5:1  error  a key must be plain text
		    5 | [x]: 5
		      | ^
		`),
	);
});

describe('an attack ends soon and in a complaint', () => {
	const size = 1_000_000;
	const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
	for (const [i, name] of [...'bcdefghi'].entries()) bomb.push(`${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`);
	test.each([
		['brackets', '['.repeat(size), '1:101 nested deeper than 100 levels'],
		['braces', '{'.repeat(size), '1:101 nested deeper than 100 levels'],
		['brackets below each other', 'a:\n  [\n'.concat(' ['.repeat(200)), '3:200 nested deeper than 100 levels'],
		['dashes', '- '.repeat(size / 2), '1:201 nested deeper than 100 levels'],
		['question marks', '? '.repeat(size / 2), '1:1 keys with "?" are not supported; write key: value'],
		['a staircase', Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /nested deeper than 100 levels$/],
		['an alias bomb', bomb.join('\n'), /aliases stand for too much text$/],
		['an anchor inside itself', 'a: &a [*a]', '1:7 nested deeper than 100 levels'],
	])('%s', (_, source, expected) => {
		const started = cpuMs();
		const [complaint] = readYaml(source, 'a.yaml').complaints;
		expect(`${complaint?.line}:${complaint?.col} ${complaint?.message}`).toMatch(expected);
		expect(cpuMs() - started).toBeLessThan(5000);
	});

	test('a hundred thousand keys', () => {
		const keys = Array.from({ length: 90_000 }, (_, i) => `k${i}: 1`);
		const started = cpuMs();
		expect(Object.keys(readYaml(keys.join('\n'), 'a.yaml').value as object)).toHaveLength(90_000);
		expect(cpuMs() - started).toBeLessThan(10_000);
	});
});

test('whatever the bytes are, reading them throws nothing, and every complaint has a place in the text', () => {
	const pieces = fc.constantFrom(
		'a: ',
		'b',
		'- ',
		'\n',
		'  ',
		'[',
		']',
		'{',
		'}',
		'"',
		"'",
		'&x ',
		'*x',
		'|',
		'>',
		'!t ',
		'#',
		'\t',
		'? ',
		',',
		'---',
		'%',
		': ',
	);
	const source = fc.oneof(
		fc.array(pieces).map((all) => all.join('')),
		fc.uint8Array(),
	);
	fc.assert(
		fc.property(source, (given) => {
			const yaml = readYaml(given, 'a.yaml');
			if (yaml.value === undefined) expect(yaml.complaints).not.toEqual([]);
			for (const { line, col } of yaml.complaints) {
				expect(line).toBeGreaterThan(0);
				expect(col).toBeGreaterThan(0);
			}
		}),
		{ numRuns: 500 },
	);
});
