import { expect, test } from 'vitest';
import { parseManifest } from '../../src/config/load-manifest.ts';
import { manifestFacts } from '../../src/queue/manifest-facts.ts';

const valid = 'task_id: x\ngoal: G\ntask_type: task\n';

test.each([
	['a glob that could keep a match busy for hours', `${valid}scope:\n  allow:\n    - "src/*a*b*c*d*e"\n`],
	['an empty entry of a list', `${valid}acceptance:\n  commands: [" "]\n`],
	['another id', valid.replace('x', 'y')],
	['a blank goal', valid.replace('G', '" "')],
	['neither type nor intent', 'task_id: x\ngoal: G\n'],
	['same_branch alone', `${valid}same_branch: true\n`],
	['a dependency on itself', `${valid}depends_on: [a, x]\n`],
	['a time that is none', `${valid}created_at: soon\n`],
	['a pattern that does not compile', `${valid}security:\n  redaction_patterns: ["("]\n`],
	['nothing', `${valid}security:\n  redaction_patterns: ["a+"]\n`],
])('a listing finds the same wrong with a manifest as its validation: %s', (what, text) => {
	const validated = parseManifest(Buffer.from(text), 'manifest.yaml', 'x');
	expect(validated.ok).toBe(what === 'nothing');
	expect(manifestFacts(Buffer.from(text), 'manifest.yaml', 'x').problems).toEqual(validated.ok ? [] : validated.failures);
});
