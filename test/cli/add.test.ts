import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTask } from '../../src/cli/goal-source.ts';
import { Rig } from '../rig.ts';

const manifest = async (rig: Rig, id: string) => parse(await rig.read(`.tmp/task/${id}/manifest.yaml`)) as Record<string, unknown>;

test('add writes a manifest that can be read and run, and says what comes next', async () => {
	await using rig = await Rig.create();
	const plan = await rig.dispatch('add', 'it-plan', 'Design it', '--type', 'plan', '--group', 'v2');
	expect(plan).toMatchObject({
		exitCode: 0,
		stdout: 'it-plan\n  .tmp/task/it-plan/manifest.yaml\n  next: dispatch run it-plan\n',
		stderr: '',
	});
	const impl = await rig.dispatch('new', 'it-impl', 'Build it', '--type', 'implement', '--based-on', 'it-p', '--review', '--deny', 'docs');
	expect(impl.stdout).toBe('it-impl\n  .tmp/task/it-impl/manifest.yaml\n  next: dispatch work --all (it waits for it-plan)\n');
	expect((await rig.read('.tmp/task/it-impl/manifest.yaml')).replace(/created_at: .*/, 'created_at: now')).toBe(
		[
			'task_id: it-impl',
			'goal: Build it',
			'task_type: implement',
			'based_on: it-plan',
			'create_review: true',
			'scope:',
			'  allow:',
			'    - "**"',
			'  deny:',
			'    - docs',
			'created_at: now',
			'',
		].join('\n'),
	);
	expect(await manifest(rig, 'it-plan')).not.toHaveProperty('scope');
	expect((await rig.dispatch('validate')).exitCode).toBe(0);
});

test('without an id one is derived; the diff, attachments and context go into the packet', async () => {
	await using rig = await Rig.create();
	await rig.write('src/a.txt', 'two\n');
	await rig.write('new.txt', 'new\n');
	await rig.write('notes.md', 'n\n');
	await rig.write('other/notes.md', 'o\n');
	const args = ['--type', 'review', '--attach', 'notes.md', '--attach', 'other/notes.md', '--context', 'notes.md', '--json', '--diff'];
	const made = await rig.dispatch('add', 'Review: my changes', ...args);
	const { task_id: id } = JSON.parse(made.stdout) as { task_id: string };
	expect(id).toMatch(/^\d{8}-review-my-changes$/);
	const diff = await rig.read(`.tmp/task/${id}/inputs/attachments/git.diff`);
	expect([...diff.matchAll(/^\+\+\+ (.*)$/gm)].map(([, path]) => path)).toEqual([
		'b/new.txt',
		'b/notes.md',
		'b/other/notes.md',
		'b/src/a.txt',
	]);
	expect(await rig.read(`.tmp/task/${id}/inputs/attachments/notes-2.md`)).toBe('o\n');
	expect(await rig.read(`.tmp/task/${id}/inputs/context_pack.md`)).toBe('n\n');
	expect((await rig.sh('git status --porcelain')).stdout).toBe(' M src/a.txt\n?? new.txt\n?? notes.md\n?? other/\n');
});

test('--diff takes a base, from the commit where the checkout left it', async () => {
	await using rig = await Rig.create();
	await rig.sh('git switch -q -c mine && echo mine > mine.txt && git add -A && git commit -qm mine');
	await rig.sh('git switch -q main && echo theirs > theirs.txt && git add -A && git commit -qm theirs && git switch -q mine');
	expect((await rig.dispatch('add', 'r', 'Look', '--type', 'review', '--diff', 'main')).exitCode).toBe(0);
	const diff = await rig.read('.tmp/task/r/inputs/attachments/git.diff');
	expect(diff.match(/^diff .*$/gm)).toEqual(['diff --git a/mine.txt b/mine.txt']);
	const nothing = await rig.dispatch('add', 'r2', 'Look', '--diff');
	expect(nothing).toMatchObject({ exitCode: 2, stderr: 'dispatch: --diff: there is no difference to HEAD\n' });
});

test('what cannot work is refused, and nothing is left behind', async () => {
	await using rig = await Rig.create();
	await rig.packet('there', { task_type: 'plan' });
	const refused = async (...args: string[]) => {
		const { exitCode, stderr } = await rig.dispatch('add', ...args);
		return [exitCode, stderr.split('\n')[0]];
	};
	expect(await refused('there', 'Again')).toEqual([2, 'dispatch: there is a packet "there" already']);
	expect(await refused('x', 'G', '--type', 'pln')).toEqual([2, 'dispatch: there is no task type "pln"; did you mean "plan"?']);
	expect(await refused('x', 'G', '--based-on', 'nobody')).toEqual([
		2,
		'dispatch: there is no packet "nobody" (.tmp/task/nobody/manifest.yaml)',
	]);
	expect((await refused('x', 'G', '--same-branch'))[0]).toBe(2);
	expect(await refused('x', 'G', '--provider', 'coddex')).toEqual([
		2,
		'--provider  error  unknown servant "coddex"; did you mean "codex"?',
	]);
	expect(await refused('x', 'G', '--intent', 'review_cros')).toEqual([
		2,
		'--intent  error  unknown intent "review_cros"; did you mean "review_cross"?',
	]);
	expect(await refused('x', 'G', '--provider', 'codex', '--model', 'nope')).toEqual([
		2,
		expect.stringMatching(/^--model {2}error {2}.*nope/),
	]);
	expect(await refused('x')).toEqual([
		2,
		'dispatch: there is no goal: give it as the second argument, with --file F, on standard input, or set EDITOR',
	]);
	expect(readdirSync(join(rig.root, '.tmp/task'))).toEqual(['there']);
});

test('the goal comes from the argument, a file, standard input or the editor; more than a line is a request', async () => {
	await using rig = await Rig.create();
	const stdin = { isTTY: true, read: () => 'From stdin\n' };
	const ask = { args: [] as string[], file: undefined as string | undefined, cwd: rig.root, env: {}, stdin };
	const piped = { ...ask, stdin: { ...stdin, isTTY: false } };
	await rig.write('goal.md', '# Make it fast\r\n\r\nBecause it is slow.\r\n');
	expect(readTask({ ...ask, args: ['fix it'] })).toEqual({ id: null, goal: 'fix it', request: null });
	expect(readTask({ ...piped, args: ['fix-it'] })).toEqual({ id: 'fix-it', goal: 'From stdin', request: null });
	expect(readTask({ ...ask, args: ['-'] }).goal).toBe('From stdin');
	expect(readTask({ ...ask, args: ['a', 'word'] })).toMatchObject({ id: 'a', goal: 'word' });
	expect(readTask({ ...ask, args: ['a'], file: 'goal.md' })).toEqual({
		id: 'a',
		goal: 'Make it fast',
		request: '# Make it fast\n\nBecause it is slow.\n',
	});
	mkdirSync(join(rig.base, 'ed'));
	writeFileSync(join(rig.base, 'ed', 'editor'), '#!/bin/sh\nprintf "edited %s\\n" "$1" > t && cat "$2" >> t && cat t > "$2" && rm t\n', {
		mode: 0o755,
	});
	const env = { EDITOR: `${join(rig.base, 'ed', 'editor')} well`, PATH: process.env.PATH };
	expect(readTask({ ...ask, env })).toEqual({ id: null, goal: 'edited well', request: null });
	expect(() => readTask({ ...ask, env: { EDITOR: 'false' } })).toThrow('the editor (false) ended without success; nothing was made');
	expect(() => readTask({ ...ask, env: { EDITOR: 'true' } })).toThrow('the editor (true) saved no goal; nothing was made');
	expect(() => readTask({ ...ask, args: ['bad id', 'goal'] })).toThrow('a task id is 1–100 characters');
});

test('an absolute path inside the repository is made relative by add, and named as a mistake in a manifest', async () => {
	await using rig = await Rig.create();
	const ran = await rig.dispatch(
		'add',
		'a',
		'Build it',
		'--type',
		'implement',
		'--allow',
		join(rig.root, 'src'),
		'--deny',
		rig.root,
		'--deny',
		'/docs',
	);
	expect(ran.exitCode).toBe(0);
	expect((await manifest(rig, 'a')).scope).toEqual({ allow: ['src'], deny: ['.', '/docs'] });
	await rig.packet('b', { task_type: 'implement', scope: { allow: [`${rig.root}/src/**`] } });
	expect(await rig.dispatch('validate', 'b')).toMatchObject({
		exitCode: 3,
		stderr: expect.stringContaining(`error  "${rig.root}/src/**" is absolute; write "src/**"\n`),
	});
});
