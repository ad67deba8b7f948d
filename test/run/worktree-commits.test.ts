import { expect, test } from 'vitest';
import { answers, codexSays, Rig } from '../rig.ts';

const writer = (id: string, more: object = {}) =>
	[id, { task_type: 'task', provider: 'codex', scope: { allow: ['src'] }, ...more }] as const;
const writes = (what: string) => codexSays('Done.', what);

test('work that cannot be committed did not pass: there would be nothing to merge', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', writes('echo more >> src/a.txt; : > "$(git rev-parse --git-dir)/index.lock"'));
	await rig.packet(...writer('t1'));
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).reason).toContain('could not be committed to dispatch/t1');
	expect(await rig.summary('t1')).not.toContain('git merge');
});

test('what an earlier attempt left outside the scope still counts when the stage is tried again', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', writes('echo x > outside.txt'));
	await rig.packet(...writer('t1'));
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	await rig.servant('codex', writes('echo more >> src/a.txt'));
	const retry = await rig.dispatch('retry', 't1');
	expect(retry.exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'scope_violation' });
	expect((await rig.lastFailure('t1')).next_action).toContain('.tmp/worktree/t1');
	await rig.sh('rm .tmp/worktree/t1/outside.txt');
	expect((await rig.dispatch('retry', 't1')).exitCode).toBe(0);
	expect((await rig.sh('git diff --name-only main dispatch/t1')).stdout).toBe('src/a.txt\n');
});

test('a writer that is run again on purpose and does nothing does not pass for what it did before', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', writes('echo more >> src/a.txt'));
	await rig.packet(...writer('t1', { budgets: { retry_budget: 0 } }));
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	await rig.servant('codex', writes(':'));
	expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'no_change' });
	await rig.servant('codex', writes('echo again >> src/a.txt'));
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect((await rig.read('.tmp/task/t1/outputs/codex_impl.patch')).match(/^\+(more|again)$/gm)).toEqual(['+more', '+again']);
});

test('what an attempt did before it was refused is work enough for the next, which finds it done', async () => {
	await using rig = await Rig.create();
	const refused = writes('echo more >> src/a.txt; echo "broken" >&2; exit 3');
	await rig.servant('codex', refused);
	await rig.packet(...writer('t1'));
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	await rig.servant('codex', writes(':'));
	expect((await rig.dispatch('retry', 't1')).exitCode).toBe(0);
	expect((await rig.sh('git diff --name-only main dispatch/t1')).stdout).toBe('src/a.txt\n');
});

test('what worktree_setup leaves behind is not committed with the work', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', "worktree_setup: ['echo setup > setup.log']\n");
	await rig.servant('codex', writes('echo more >> src/a.txt'));
	await rig.packet(...writer('t1'));
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(rig.has('.tmp/worktree/t1/setup.log')).toBe(true);
	expect((await rig.sh('git diff --name-only main dispatch/t1')).stdout).toBe('src/a.txt\n');
});

test('what prepares a worktree is told when it begins: it may take minutes', async () => {
	await using rig = await Rig.create();
	const setup = `while [ ! -e '${rig.base}/seen/go' ]; do sleep 0.02; done`;
	await rig.write('configs/dispatch.yaml', JSON.stringify({ worktree_setup: [setup] }));
	await rig.servant('codex', writes('echo more >> src/a.txt'));
	await rig.packet(...writer('t1'));
	const run = rig.start(['run', 't1']);
	let said = '';
	run.child.stdout!.on('data', (text) => {
		said += text;
	});
	await rig.until('the setup is told', () => said.includes(`t1: worktree_setup: ${setup}\n`));
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
});

test('the patch of a writing stage holds what all its attempts changed, and reviewers see it whole', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`, 'case "$*" in *workspace-write*) echo round >> src/a.txt;; esac'));
	await rig.packet('t1', {
		routing: { intent: 'safe_impl', pipeline: { flags: { enable_brief: false, enable_review: false }, options: { fix_rounds: 1 } } },
		scope: { allow: ['src'] },
		acceptance: { commands: ['test "$(grep -c round src/a.txt)" = 2'] },
	});
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect((await rig.read('.tmp/task/t1/outputs/codex_impl.patch')).match(/^\+round$/gm)).toHaveLength(2);
	expect((await rig.read('.tmp/task/t1/inputs/prompt/codex.verify.md')).match(/^\+round$/gm)).toHaveLength(2);
});

test("a command that is a path is the project's program, also where a new worktree has none or another", async () => {
	await using rig = await Rig.create();
	const program = (line: string) => `#!/bin/sh\ncat > /dev/null\n${line}\necho "The line is written."\n`;
	await rig.write('tools/agent', program('exit 3'));
	await rig.sh('chmod +x tools/agent && git add tools && git commit -qm tools');
	await rig.write('tools/agent', program('echo more >> src/a.txt'));
	await rig.write('.tmp/new-agent', program('echo more >> src/a.txt'));
	await rig.sh('chmod +x .tmp/new-agent');
	for (const [tool, command] of Object.entries({ old: './tools/agent', new: '.tmp/new-agent' })) {
		await rig.write(`configs/servant/${tool}.yaml`, `command: ${command}\n`);
		await rig.packet(...writer(`t-${tool}`, { provider: tool, budgets: { retry_budget: 0 } }));
		expect(await rig.dispatch('run', `t-${tool}`), tool).toMatchObject({ exitCode: 0 });
	}
});

test('what a person mended in the worktree and did not commit is to be committed before the merge', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', "worktree_setup: ['echo setup > setup.log']\n");
	await rig.servant('codex', codexSays('Done.\nPASS', 'case "$*" in *workspace-write*) echo more >> src/a.txt;; esac'));
	await rig.packet('t1', {
		task_type: 'implement',
		provider: 'codex',
		scope: { allow: ['src'] },
		acceptance: { commands: ['grep -q mended src/a.txt'] },
	});
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).next_action).toBe(
		'fix: read outputs/codex_verify.artifact.md, fix what failed in .tmp/worktree/t1 and commit it there, then dispatch retry t1',
	);
	await rig.sh('echo mended >> .tmp/worktree/t1/src/a.txt');
	const word = 'commit what is not committed in .tmp/worktree/t1 (src/a.txt), then git merge dispatch/t1';
	expect((await rig.dispatch('retry', 't1')).stdout).toContain(`next: ${word}\n`);
	expect(await rig.summary('t1')).toContain(`next_action: "commit: ${word}"`);
	expect(JSON.parse((await rig.dispatch('show', 't1', '--json')).stdout)).toMatchObject({ next_action: `commit: ${word}` });

	await rig.sh('cd .tmp/worktree/t1 && git commit -q -m mended src/a.txt');
	await rig.dispatch('run', 't1', '--from', 'codex_verify');
	expect(await rig.summary('t1')).toContain('next_action: "merge: git merge dispatch/t1"');
});
