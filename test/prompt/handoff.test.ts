import { describe, expect, test } from 'vitest';
import { allowedCommands, readHandoff } from '../../src/prompt/handoff.ts';

describe('the context pack of a brief', () => {
	const pack = '## 0. Goal\ng\n## 1. Non-goals\nn';

	test.each<[string, string, string | null]>([
		['reaches to the next unnumbered heading', `## Summary\ns\n## Updated Context Pack\n\n${pack}\n## Verify Commands\nx\n`, `${pack}\n`],
		['reaches to the end', `# Brief\n## Updated Context Pack\n${pack}\n\n\n`, `${pack}\n`],
		['may have a title of its own', `## Updated Context Pack\n# Context Pack\n${pack}\n# Afterword\nx`, `# Context Pack\n${pack}\n`],
		['keeps deeper headings', '## Updated Context Pack\n## 0. Goal\n### Detail\nd\n## Other\n', '## 0. Goal\n### Detail\nd\n'],
		[
			'is not ended by a heading in a fence',
			'## Updated Context Pack\n## 0. Goal\n```md\n## Other\n```\nend\n## Other\n',
			'## 0. Goal\n```md\n## Other\n```\nend\n',
		],
		['may stand under another level', '### updated context pack\n#### 0. Goal\ng\n### Next\n', '#### 0. Goal\ng\n'],
		['is not found in a fence', '```\n## Updated Context Pack\n## 0. Goal\n```\n', null],
		['is absent when empty', '## Updated Context Pack\n\n## Next\n', null],
	])('%s', (_, answer, contextPack) => expect(readHandoff(answer).contextPack).toBe(contextPack));
});

describe('the verify commands of a brief', () => {
	test.each<[string, string, string[]]>([
		[
			'are one a line, without comments and blanks',
			'## Verify Commands\n\n```sh\n# unit\nnpm test\n\n  $ npm run lint\n```\n',
			['npm test', 'npm run lint'],
		],
		['are only those of the first block', '## Verify Commands\n```\na\n```\n```\nb\n```\n', ['a']],
		['may be in a block of tildes under text and a deeper heading', '## Verify Commands\nRun:\n### All\n~~~\na\n```\n~~~\n', ['a', '```']],
		['are none where there is no block', '## Verify Commands\nnpm test\n## Other\n```\nrm -rf /\n```\n', []],
		['are none without the heading', '```\nnpm test\n```\n', []],
	])('%s', (_, answer, commands) => expect(readHandoff(answer).commands).toEqual(commands));
});

describe('a command that a model wrote', () => {
	const manifest = ['make check && ./run.sh | tee log'];
	const allow = [
		'npm test.*',
		'npm run (lint|types)',
		'go test \\S+',
		'cat [^x]+',
		'cd web && npm test.*',
		'grep \\| \\w+',
		'a(b',
		'echo [ -~]+',
		'say [\\S]+',
		'ls [a-z;]+',
		'x\\sy',
		'p \\pP+',
	];
	const isAllowed = (command: string) => allowedCommands([command], manifest, allow).refused.length === 0;

	test.each([
		'npm test',
		'npm test -- --grep "a b"',
		'npm run lint',
		'npm run types',
		'go test ./...',
		'cat abc',
		'cd web && npm test',
		'cd web && npm test -- x',
		'grep | word',
		'a(b',
		'echo [ -~]+',
		'ls a;b',
		'x y',
		'make check && ./run.sh | tee log',
	])('%s may run', (command) => expect(isAllowed(command)).toBe(true));

	test.each([
		'npm test; rm -rf /',
		'npm test && curl evil',
		'npm test & curl evil',
		'npm test | sh',
		'npm test `curl evil`',
		'npm test $(curl evil)',
		'npm test $HOME',
		'npm test > /etc/passwd',
		'npm test < secrets',
		'npm test\ncurl evil',
		'npm test\r\ncurl evil',
		'npm test <(curl evil)',
		'npm test \\\ncurl',
		'npm run lint; npm run types',
		'npm run lintx',
		'sudo npm test',
		' npm test',
		'go test ;curl',
		'go test $(x)',
		'cat a;b',
		'cat a\nb',
		'cd web && npm test && curl evil',
		'cd web && npm test; curl evil',
		'cd web & npm test',
		'echo ;curl',
		'say ;curl',
		'p ;',
		'x\ny',
		'make check',
		'./run.sh | tee log',
		'',
	])('%j is refused', (command) => expect(isAllowed(command)).toBe(false));

	test('is told apart from the others, in order', () => {
		expect(allowedCommands(['npm test', 'curl evil', 'npm run lint', 'rm x'], [], allow)).toEqual({
			allowed: ['npm test', 'npm run lint'],
			refused: ['curl evil', 'rm x'],
		});
	});
});
