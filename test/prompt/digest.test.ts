import { expect, test } from 'vitest';
import { digestContextPack } from '../../src/prompt/digest.ts';

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

test.each<[string, string, string]>([
	[
		'numbered headings',
		'# Pack\nintro\n## 0. Goal\ng\n## 7. Current State\nc\n## 6. Prohibited Actions\np\n',
		'## 0. Goal\ng\n\n## 6. Prohibited Actions\np\n',
	],
	['plain headings of any level and case', '# GOALS\ng\n#### files to read:\nf\n#### Other\no\n', '# GOALS\ng\n\n#### files to read:\nf\n'],
	['what stands below a kept heading', '## Scope\ns\n### Allowed\na\n## History\nh\n', '## Scope\ns\n### Allowed\na\n'],
	[
		'all seven',
		'# Goal\n# Non-goals\n# Scope\n# Acceptance criteria\n# Fixed decisions\n# Files to read\n# Prohibited actions\n# X\n',
		'# Goal\n\n# Non-goals\n\n# Scope\n\n# Acceptance criteria\n\n# Fixed decisions\n\n# Files to read\n\n# Prohibited actions\n',
	],
	[
		'no heading inside a fence',
		'## Goal\n```sh\n# Scope\n## Other\n```\nend\n## Other\nx\n',
		'## Goal\n```sh\n# Scope\n## Other\n```\nend\n',
	],
	['a short pack without such sections whole', 'Just text.\n\n## Notes\nn\n', 'Just text.\n\n## Notes\nn\n'],
])('the digest keeps %s', (_, pack, digest) => {
	expect(digestContextPack(pack)).toBe(digest);
});

test('a section is at most 40 lines long, and says what is missing', () => {
	const digest = digestContextPack(`## Goal\n${lines(60)}\n## Scope\n${lines(39)}\n`);
	const [goal, scope] = digest.trimEnd().split('\n\n');
	expect(goal!.split('\n')).toHaveLength(40);
	expect(goal).toMatch(/line 38\n\[… 22 lines left out\]$/);
	expect(scope).toBe(`## Scope\n${lines(39)}`);
});

test('a pack without any of the sections keeps its first 100 lines', () => {
	const digest = digestContextPack(lines(300)).trimEnd().split('\n');
	expect(digest).toHaveLength(101);
	expect(digest.slice(-2)).toEqual(['line 100', '[… 200 lines left out]']);
	expect(digestContextPack(lines(100))).toBe(`${lines(100)}\n`);
});
