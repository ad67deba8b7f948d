import { expect, test } from 'vitest';
import { servantFor } from '../../src/servant/servants.ts';
import { play, recorded } from './recording.ts';

test('codex counts items, or only its messages where step_unit says so', () => {
	const steps = (file: Parameters<typeof servantFor>[1]) =>
		play(recorded('codex', 'loop'), { servant: servantFor('codex', file) }).stepsComputed;
	expect(steps(undefined)).toBe(13);
	expect(steps({ step_unit: 'item' })).toBe(13);
	expect(steps({ step_unit: 'item.completed' })).toBe(13);
	expect(steps({ step_unit: 'agent_message' })).toBe(1);
});

test('a warning in the form of an item is no step', () => {
	const stream =
		'{"type":"item.completed","item":{"type":"error","message":"Model metadata for x not found"}}\n{"type":"turn.completed","usage":{}}\n';
	expect(play(recorded('codex', 'text'), { stream })).toMatchObject({ stepsComputed: 0, complaint: null, final: 'success' });
});
