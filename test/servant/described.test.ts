import { expect, test } from 'vitest';
import type { Ask } from '../../src/contract/servant.ts';
import { fillPlaceholders } from '../../src/servant/placeholders.ts';
import { startProgress } from '../../src/servant/progress.ts';
import { servantFor } from '../../src/servant/servants.ts';
import { ask } from './ask.ts';
import { exampleFile, play, recorded } from './recording.ts';

test('an argument whose placeholder has no value is left out, with the flag before it', () => {
	const values = { model: null, effort: 'high', max_steps: '30' };
	expect(fillPlaceholders(['run', '-m', '{model}', '--effort={effort}', '--model={model}', '-x'], values)).toEqual([
		'run',
		'--effort=high',
		'-x',
	]);
	expect(fillPlaceholders(['run', '{model}'], values)).toEqual(['run']);
	expect(fillPlaceholders(['--a={model}', '{model}', 'b'], values)).toEqual(['b']);
	expect(fillPlaceholders(['{unknown}', '{', '{model', '{max_steps}/{max_steps}'], values)).toEqual(['{unknown}', '{', '{model', '30/30']);
});

test('a value is not searched for placeholders again', () => {
	expect(fillPlaceholders(['{model}'], { model: '{effort}', effort: 'x' })).toEqual(['{effort}']);
});

test('the opencode example: command line', () => {
	const servant = servantFor('opencode', exampleFile('opencode'));
	const lineOf = (given: Partial<Ask>) => servant.invocation({ ...ask, ...given }).args.join(' ');
	expect(lineOf({})).toBe('run --format json --agent plan');
	expect(lineOf({ access: 'write', model: 'a/b', effort: 'high', session: 'ses_1' })).toBe(
		'run --format json -m a/b --variant high --auto --session ses_1',
	);
	expect(servant.canResume).toBe(true);
});

test('the opencode example: tokens with what was cached and thought, and the cost it reports', () => {
	expect(play(recorded('opencode', 'tool'))).toMatchObject({
		usage: { input_tokens: 2001, cached_input_tokens: 600, output_tokens: 41 },
		costUsd: expect.closeTo(0.004818),
		costSource: 'reported',
		sessionId: 'ses_e12c594adffeSM80C9RaLd1Nxk',
	});
});

test('the ollama example: the prompt on stdin, stdout is the answer, nothing to pay', () => {
	const servant = servantFor('ollama', exampleFile('ollama'));
	expect(servant.invocation({ ...ask, model: 'qwen3-coder' })).toMatchObject({
		command: 'ollama',
		args: ['run', 'qwen3-coder', '--nowordwrap', '--hidethinking'],
		prompt: 'stdin',
		output: 'text',
	});
	expect([servant.paid, servant.canResume]).toEqual([false, false]);
	const running = startProgress({ servant, model: null });
	running.end({ exitCode: 0, stderr: '', scratchFile: () => null });
	expect(running.value).toMatchObject({ stepsComputed: null, final: null, text: '' });
});

test('without an event that tells of success exit 0 decides, unless an error stands', () => {
	const servant = servantFor('x', { output: 'jsonl', stream: { text: { path: 'a.0' }, error: { path: 'oops' } } });
	const final = (exitCode: number, ...lines: string[]) => {
		const running = startProgress({ servant, model: null });
		running.push(`${lines.join('\n')}\n`);
		running.end({ exitCode, stderr: '', scratchFile: () => null });
		return [running.value.final, running.value.text];
	};
	expect(final(0, '{"a":["x"]}', '{"a":["y"]}')).toEqual(['success', 'xy']);
	expect(final(1, '{"a":["x"]}')).toEqual([null, 'x']);
	expect(final(0, '{"oops":"rate limit"}')).toEqual(['error', '']);
});

test('a prompt file goes where the description puts it', () => {
	const servant = servantFor('x', { command: 'x-cli', args: ['--in', '{prompt_file}', '--dir', '{workdir}'], prompt: 'file' });
	expect(servant.invocation(ask)).toMatchObject({
		command: 'x-cli',
		args: ['--in', '/attempt/prompt.md', '--dir', '/work-tree'],
		prompt: 'file',
	});
});
