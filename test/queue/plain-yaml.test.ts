import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readYaml } from '../../src/config/read-yaml.ts';
import { manifestFacts } from '../../src/queue/manifest-facts.ts';
import { readPlainYaml } from '../../src/queue/plain-yaml.ts';

const written = `# made by hand
task_id: it-impl
goal: Implement "it", said O'Brien & co (soon)
task_type: implement
depends_on:
  - it-plan
  # and
  - "other one"
scope:
  allow:
    - "**"
budgets:
  max_steps: 20
created_at: 2026-01-31T09:30:00.000Z
create_review: true
`;

test('a plainly written manifest is read without the whole parser, and alike', () => {
	expect(readPlainYaml(written)).toEqual(readYaml(written, 'm').value);
});

test('whatever is plain enough to be read quickly means the same to the whole parser', () => {
	const piece = fc.constantFrom(
		...[
			'a',
			'goal: x',
			'goal:',
			'scope:',
			'  allow:',
			'    - x',
			'  - y',
			'- z',
			'b: 1',
			'c: 1e3',
			'd: 0x1f',
			'e: "q\\n"',
			'f: "',
			'g: #c',
		],
		...[
			'h: x #c',
			'i: x: y',
			'j: null',
			'k: yes',
			"l: 'q'",
			'm: |',
			'  text',
			'n: []',
			'o: [a]',
			'p: {}',
			'---',
			'q: a,b',
			'r: 20260218-001',
		],
		...[
			's: *a',
			't: &a b',
			'u: !x y',
			'\tv: w',
			' w: x',
			'x: ~',
			'y: "ü→"',
			'z: 007',
			'? k',
			'aa: -1',
			'bb: a  ',
			'cc: "\\u0041"',
			'dd: 1_000',
		],
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 6 }), (lines) => {
			const text = `${lines.join('\n')}\n`;
			const quick = readPlainYaml(text);
			const whole = readYaml(text, 'm');
			if (quick !== null) expect({ value: quick, complaints: [] }).toEqual({ value: whole.value, complaints: whole.complaints });
		}),
		{ numRuns: 3000 },
	);
});

test('an invalid manifest keeps what can be read of it, beside its problems', () => {
	const facts = manifestFacts(Buffer.from('task_id: x\ngoal: G\ngroup: g\ntask_typ: plan\n'), 'manifest.yaml', 'x');
	expect(facts).toMatchObject({ goal: 'G', group: 'g', type: null });
	expect(facts.problems.map(({ message }) => message)).toContain('unknown key "task_typ"; did you mean "task_type"?');
});
