import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPlaces, readPlainYaml } from '../../src/config/plain-yaml.ts';
import { readWholeYaml } from '../../src/config/whole-yaml.ts';
import { manifestFacts } from '../../src/queue/manifest-facts.ts';
import { projectDir } from '../project-dir.ts';

/** Every path of a value, and beside each one that is not there. */
function pathsIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
	const below = typeof value === 'object' && value !== null ? Object.entries(value) : [];
	return [
		[...path],
		[...path, 'nowhere'],
		...below.flatMap(([key, item]) => pathsIn(item, [...path, Array.isArray(value) ? Number(key) : key])),
	];
}

function samePlaces(text: string, value: unknown, whole: ReturnType<typeof readWholeYaml>): void {
	const place = plainPlaces(text);
	for (const path of pathsIn(value)) {
		expect(place(path, 'key').found).toBe(whole.has(path));
		for (const what of ['key', 'value'] as const) {
			const { line, col } = place(path, what);
			expect({ path, what, line, col }).toEqual({ path, what, ...whole.locate(path, what) });
		}
	}
}

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
	expect(readPlainYaml(written)).toEqual(readWholeYaml(written, 'm').value);
});

test('the files that we ship are plainly written, and mean the same to both, in the same places', () => {
	const files = readdirSync(join(projectDir, 'configs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
	expect(files).toHaveLength(10);
	const plain = files.filter((file) => {
		const text = readFileSync(join(projectDir, 'configs', file), 'utf8');
		const value = readPlainYaml(text);
		const whole = readWholeYaml(text, file);
		if (value === null) return false;
		expect(value).toEqual(whole.value);
		samePlaces(text, value, whole);
		return true;
	});
	expect(files.filter((file) => !plain.includes(file)).sort()).toEqual([]);
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
			'ee:  [a, b-2,  c/d.e, 3 ]',
			'ff: { a: b, c-d:  1 }',
			'gg: [a, [b]]',
			'hh: { a }',
			'ii: [a b, c:d]',
			'jj: [a,]',
			'kk: # nothing',
			'll: [] # empty',
			"mm: 'it''s'",
			"nn: 'a # b' # c",
			'null: x',
			'__proto__: x',
			'oo.p-q: 1.5',
			'pp: {a: b}',
			'qq: { a: b: c }',
			'rr: [true, 0x1, y]',
			'ss: {}',
			'    - "t" # u',
			'      deep: x',
		],
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 6 }), (lines) => {
			const text = `${lines.join('\n')}\n`;
			const quick = readPlainYaml(text);
			const whole = readWholeYaml(text, 'm');
			if (quick === null) return;
			expect({ value: quick, complaints: [] }).toEqual({ value: whole.value, complaints: whole.complaints });
			samePlaces(text, quick, whole);
		}),
		{ numRuns: 6000 },
	);
});

test('an invalid manifest keeps what can be read of it, beside its problems', () => {
	const facts = manifestFacts(Buffer.from('task_id: x\ngoal: G\ngroup: g\ntask_typ: plan\n'), 'manifest.yaml', 'x');
	expect(facts).toMatchObject({ goal: 'G', group: 'g', type: null });
	expect(facts.problems.map(({ message }) => message)).toContain('unknown key "task_typ"; did you mean "task_type"?');
});
