import { expect, test } from 'vitest';
import { hint, suggest } from '../../src/contract/suggest.ts';

const tools = ['claude', 'codex', 'gemini', 'copilot'];

test.each([
	['codx', 'codex'],
	['Codex', 'codex'],
	['gemnii', 'gemini'],
	['copliot', 'copilot'],
	['zzz', null],
	['aider', null],
])('%s is taken for %s', (word, meant) => {
	expect(suggest(word, tools)).toBe(meant);
});

test('where nothing is near, all there is to choose from is named', () => {
	expect(hint('codx', tools)).toBe('; did you mean "codex"?');
	expect(hint('aider', tools)).toBe('; known: claude, codex, gemini, copilot');
	expect(hint('aider', [])).toBe('');
});
