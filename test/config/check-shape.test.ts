import { expect, test } from 'vitest';
import { checkShape } from '../../src/config/check-shape.ts';
import { readYaml } from '../../src/config/read-yaml.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';
import { DispatchFile } from '../../src/contract/dispatch-file.ts';
import { Manifest } from '../../src/contract/manifest.ts';
import { ServantFile } from '../../src/contract/servant-file.ts';
import { text } from './project.ts';

const check = (schema: Parameters<typeof checkShape>[0], source: string) => {
	const result = checkShape(schema, readYaml(source, 'a.yaml'));
	return result.ok ? result.value : result.failures.map(renderComplaint).join('\n');
};

test('all problems of a file are said at once, in its order, each with line and caret', () => {
	const source = text(`
		task_id: 20260218
		goal: ""
		budgets:
		  retry_budget: abc
		  paid_call_budgett: 3
		  max_steps: 1.5
		  max_cost_usd: -1
		task_type: implment
		depends_on: [.hidden, 5]
		routing:
		  pipeline:
		    flags: { enable_brief: yes }
		    options: { impl_mode: [safe] }
		scope: src
		task_id: t1
	`);
	expect(check(Manifest, source)).toBe(
		text(`
		a.yaml:1:10  error  expected text, got 20260218; put it in quotes
		    1 | task_id: 20260218
		      |          ^
		a.yaml:2:1  error  "goal" is empty
		    2 | goal: ""
		      | ^
		a.yaml:4:17  error  expected a whole number, got "abc"
		    4 |   retry_budget: abc
		      |                 ^
		a.yaml:5:3  error  unknown key "paid_call_budgett"; did you mean "paid_call_budget"?
		    5 |   paid_call_budgett: 3
		      |   ^
		a.yaml:6:14  error  expected a whole number, got 1.5
		    6 |   max_steps: 1.5
		      |              ^
		a.yaml:7:17  error  must be at least 0
		    7 |   max_cost_usd: -1
		      |                 ^
		a.yaml:8:12  error  expected one of: task, explore, plan, implement, review, improve; did you mean "implement"?
		    8 | task_type: implment
		      |            ^
		a.yaml:9:14  error  a task id is 1–100 characters of A-Z a-z 0-9 . _ - and does not start with a dot
		    9 | depends_on: [.hidden, 5]
		      |              ^
		a.yaml:9:23  error  expected text, got 5; put it in quotes
		    9 | depends_on: [.hidden, 5]
		      |                       ^
		a.yaml:12:28  error  expected true or false, got "yes"
		    12 |     flags: { enable_brief: yes }
		       |                            ^
		a.yaml:13:27  error  expected text, a number or true or false, got a list
		    13 |     options: { impl_mode: [safe] }
		       |                           ^
		a.yaml:14:8  error  expected keys with values, got "src"
		    14 | scope: src
		       |        ^
		a.yaml:15:1  error  the key "task_id" occurs twice here
		    15 | task_id: t1
		       | ^
		`),
	);
});

test('an unknown key is compared with what is allowed at its own place, inside records and optionals too', () => {
	expect(check(DispatchFile, 'providers:\n  codex:\n    task_types:\n      reviews: {}\n      review: { modle: x }\n    zzz: 1\n')).toBe(
		text(`
		a.yaml:4:7  error  unknown key "reviews"; did you mean "review"?
		    4 |       reviews: {}
		      |       ^
		a.yaml:5:17  error  unknown key "modle"; did you mean "model"?
		    5 |       review: { modle: x }
		      |                 ^
		a.yaml:6:5  error  unknown key "zzz"; known: ${Object.keys(ServantFile.shape).join(', ')}, model
		    6 |     zzz: 1
		      |     ^
		`),
	);
});

test.each([
	[
		'a missing key points at its parent',
		'prices:\n  m: { input: 1 }',
		'a.yaml:2:3  error  the key "output" is missing\n    2 |   m: { input: 1 }\n      |   ^',
	],
	['a number among fixed ones', 'version: 3', 'a.yaml:1:10  error  expected one of: 1, 2\n    1 | version: 3\n      |          ^'],
	[
		'text in place of a list',
		'fallback: codex',
		'a.yaml:1:11  error  expected a list, got "codex"\n    1 | fallback: codex\n      |           ^',
	],
	[
		'an exclusive minimum',
		'wrapper_defaults: { max_output_mb: 0 }',
		'a.yaml:1:36  error  must be more than 0\n    1 | wrapper_defaults: { max_output_mb: 0 }\n      |                                    ^',
	],
	['nothing in a list', 'fallback:\n  -\n  - codex', 'a.yaml:2:4  error  an entry of this list is empty\n    2 |   -\n      |    ^'],
])('%s', (_, source, expected) => {
	expect(check(ServantFile, source)).toBe(expected);
});

test('what is written and left empty counts as absent', () => {
	expect(
		check(ServantFile, 'default_model: ""\nwrapper_defaults:\n  timeout_mode: ""\npurpose_models:\n  impl: ""\n  plan: x\nfallback:\n'),
	).toEqual({
		wrapper_defaults: {},
		purpose_models: { plan: 'x' },
	});
});

test('of a thousand and more problems it is said how many are not listed', () => {
	const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `k${i}: 1`).join(', ')}}`;
	const messages = (source: string) => {
		const result = checkShape(ServantFile, readYaml(source, 'a.yaml'));
		return result.ok ? [] : result.failures.map(({ message }) => message);
	};
	expect(messages(keys(1000))).toHaveLength(1000);
	expect(messages(keys(1200)).slice(0, 2)).toEqual([
		'200 more problems in this file are not listed',
		expect.stringMatching(/^unknown key "k0"/),
	]);
	expect(messages(`${'tool: a\n'.repeat(1201)}k: 1`)).toHaveLength(1001);
	expect(messages(`{${'a1b2,'.repeat(200_000)}}`)[0]).toBe('199,000 more problems in this file are not listed');
});
