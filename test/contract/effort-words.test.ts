import { expect, test } from 'vitest';
import { effortProblem } from '../../src/contract/effort-words.ts';

test('an effort that a built-in servant does not know is an error, one that it cannot be told a warning', () => {
	expect(effortProblem('codex', {}, 'xhigh')).toBeNull();
	expect(effortProblem('codex', {}, '')).toBeNull();
	expect(effortProblem('codex', {}, 'hgih')).toEqual({
		level: 'error',
		message: 'codex knows no effort "hgih"; did you mean "high"? allowed: none, minimal, low, medium, high, xhigh, max, ultra',
	});
	expect(effortProblem('claude', {}, 'minimal')?.message).toBe('claude knows no effort "minimal"; allowed: low, medium, high, xhigh, max');
	expect(effortProblem('gemini', {}, 'high')).toEqual({ level: 'warning', message: 'effort "high" has no effect: gemini takes none' });
});

test('a described servant takes any effort if an argument of its tells it', () => {
	expect(effortProblem('mine', { args: ['--effort={effort}'] }, 'galactic')).toBeNull();
	expect(effortProblem('mine', { args: ['run'] }, 'high')?.level).toBe('warning');
});
