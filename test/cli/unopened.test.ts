import { expect, test } from 'vitest';
import { answers, Rig, say } from '../rig.ts';

const slip = 'configs/dispatch.yaml:1:1  error  unknown key "provder"; did you mean "provider"?';
const missing = '.tmp/task/bad/manifest.yaml:1:1  error  ';

/** A project whose configuration is misspelt, with a packet that has nothing to do with it and one that is wrong itself. */
async function misspelt(): Promise<Rig> {
	const rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'provder: mine\n');
	await rig.packet('good', { task_type: 'explore' });
	await rig.write('.tmp/task/bad/manifest.yaml', 'task_id: bad\ntask_type: explore\n');
	return rig;
}

test('with an invalid configuration each packet that was to run is told in its summary, with its own problems', async () => {
	await using rig = await misspelt();
	await rig.packet('other', { task_type: 'explore' });
	for (const command of ['run', 'work']) {
		await rig.sh('rm -rf .tmp/task/*/outputs');
		const ran = await rig.dispatch(command, 'good', 'bad');
		expect(ran.exitCode).toBe(3);
		expect(ran.stderr).toContain(slip);
		expect(ran.stderr).toContain(missing);
		expect(await rig.summary('good')).toMatch(/^---\ntask_id: good\nstatus: invalid\nintent: explore\n/);
		expect(await rig.summary('good')).toContain(slip);
		expect(await rig.summary('good')).not.toContain(missing);
		expect(await rig.summary('bad')).toContain(slip);
		expect(await rig.summary('bad')).toContain(missing);
		expect(rig.has('.tmp/task/other/outputs')).toBe(false);
		expect(await rig.sh('find .tmp/task -type f | sort')).toMatchObject({
			stdout: ['bad/manifest.yaml', 'bad/outputs/_summary.md', 'good/manifest.yaml', 'good/outputs/_summary.md', 'other/manifest.yaml', '']
				.map((path) => (path === '' ? '' : `.tmp/task/${path}`))
				.join('\n'),
		});
	}
	expect((await rig.dispatch('next')).stdout).not.toContain('good');
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	expect((await rig.dispatch('next')).stdout).toContain('good');
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(0);
	expect(await rig.summary('good')).toContain('status: completed');
});

test('a packet that a live run owns keeps its summary', async () => {
	await using rig = await misspelt();
	await rig.textServant('mine', `while [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say(answers.explore!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	const run = rig.start(['run', 'good']);
	await rig.settled('good');
	await rig.write('../home/.config/dispatch/dispatch.yaml', 'provder: mine\n');
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(3);
	expect(await rig.summary('good')).toContain('status: in_progress');
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
});

test('of a packet that is completed, the word that it is invalid goes with what was wrong', async () => {
	await using rig = await misspelt();
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(0);
	await rig.write('configs/dispatch.yaml', 'provder: mine\n');
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(3);
	expect((await rig.dispatch('show', 'good')).stdout).toContain(slip);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	expect((await rig.dispatch('show', 'good')).stdout).toContain('status: completed');
});

test('what a run found invalid is that for show --json and wait too, whether the packet has run before or not', async () => {
	await using rig = await misspelt();
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('new', { task_type: 'explore' });
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(0);
	await rig.write('configs/dispatch.yaml', 'provder: mine\n');
	expect((await rig.dispatch('run', 'good', 'new')).exitCode).toBe(3);
	for (const id of ['good', 'new']) {
		expect(JSON.parse((await rig.dispatch('show', id, '--json')).stdout)).toMatchObject({
			status: 'invalid',
			next_action: `fix_manifest: correct the problems below, then dispatch run ${id}`,
			problems: [{ file: 'configs/dispatch.yaml', line: 1, col: 1 }],
		});
		expect(await rig.dispatch('wait', id)).toMatchObject({
			exitCode: 3,
			stdout: `${id} invalid\n  next: correct what dispatch validate ${id} tells, then dispatch run ${id}\n`,
		});
	}
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	expect(JSON.parse((await rig.dispatch('show', 'good', '--json')).stdout)).toMatchObject({ status: 'completed', problems: [] });
	expect((await rig.dispatch('wait', 'good')).exitCode).toBe(0);
	expect((await rig.dispatch('wait', 'new')).exitCode).toBe(2);
});

test('an invalid configuration hides nothing of a packet from those who only look', async () => {
	await using rig = await misspelt();
	for (const args of ['validate bad', 'plan bad', 'compose bad mine_explore']) {
		const ran = await rig.dispatch(...args.split(' '));
		expect({ args, exit: ran.exitCode, said: ran.stderr }).toEqual({ args, exit: 3, said: expect.stringContaining(slip) });
		expect(ran.stderr, args).toContain(missing);
	}
	expect((await rig.dispatch('validate', 'bad')).stdout).toBe('bad: 2 errors\n');
	expect(rig.has('.tmp/task/bad/outputs')).toBe(false);
});

test('--json is one document with an invalid configuration too', async () => {
	await using rig = await misspelt();
	const place = { level: 'error', file: 'configs/dispatch.yaml', line: 1, col: 1 };
	for (const args of ['config', 'config --choices', 'doctor', 'plan good', 'validate good', 'compose good mine_explore']) {
		const ran = await rig.dispatch(...args.split(' '), '--json');
		expect({ args, exit: ran.exitCode, stderr: ran.stderr }).toEqual({ args, exit: 3, stderr: '' });
		expect(JSON.parse(ran.stdout), args).toMatchObject({ problems: [place] });
	}
	expect(JSON.parse((await rig.dispatch('validate', 'good', '--json')).stdout)).toMatchObject({ ok: false, errors: 1, warnings: 0 });
	expect(JSON.parse((await rig.dispatch('plan', 'good', '--json')).stdout)).toMatchObject({ task_id: 'good' });
	// Events, of which there are none.
	expect(await rig.dispatch('run', 'good', '--json')).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining(slip) });
});
