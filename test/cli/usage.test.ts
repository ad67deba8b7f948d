import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Rig } from '../rig.ts';

test.each([
	[['budget', 't1', '--max-cost', '-1'], '--max-cost takes a number from 0 on, not "-1"'],
	[['work', '--jobs', '-1'], '--jobs takes a whole number from 1 on, not "-1"'],
	[['work', '-j', '-1'], '--jobs takes a whole number from 1 on, not "-1"'],
	[['work', '--max-calls', '-.5'], '--max-calls takes a whole number from 1 on, not "-.5"'],
	[['run', 't1', '--from'], '--from takes a value: --from STAGE'],
	[['run', 't1', '--from', '--fresh'], '--from takes a value; one that begins with a dash is written --from=-…'],
	[['plan', 't1', '--json=yes'], '--json takes no value'],
	[['plan', 't1', '--jsn'], 'dispatch plan has no flag "--jsn"; did you mean "--json"?'],
	[['run', 't1', '--frsh=1'], 'dispatch run has no flag "--frsh"; did you mean "--fresh"?'],
	[['run', 't1', '-z'], 'dispatch run has no flag "-z" (dispatch run --help)'],
	[['config', '--choices', 'servant.codex'], '--choices takes no key: it shows all that may be chosen'],
	[['init', 'here'], 'usage: dispatch init'],
])('%j is wrong usage, told in our words', async (args, words) => {
	await using rig = await Rig.create();
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	expect(await rig.dispatch(...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: `dispatch: ${words}\n` });
});

test('the root may stand before the command in every way it may be written', async () => {
	await using rig = await Rig.create();
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	const elsewhere = join(rig.base, 'elsewhere');
	await mkdir(elsewhere);
	for (const flags of [[`-C${rig.root}`], ['-C', rig.root], [`--root=${rig.root}`], ['--root', rig.root]])
		expect(await rig.start([...flags, 'validate', 't1'], { cwd: elsewhere }).ended).toMatchObject({ exitCode: 0, stdout: 't1: valid\n' });
});

test('the help of a command without arguments has no blank at the end of a line', async () => {
	await using rig = await Rig.create();
	expect((await rig.dispatch('init', '--help')).stdout).toMatch(/^Usage: dispatch init\n/);
});
