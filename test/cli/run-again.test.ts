import { expect, test } from 'vitest';
import { answers, codexSays, copilotSays, geminiSays, Rig, say } from '../rig.ts';

test('a packet that is completed says so instead of running again', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_only' } });
	await rig.dispatch('run', 't1');
	const again = await rig.dispatch('run', 't1');
	expect(again).toMatchObject({ exitCode: 0, stdout: 't1 is completed already; dispatch run t1 --fresh runs it again\n', stderr: '' });
	expect((await rig.dispatch('run', 't1', '--quiet')).stdout).toBe('');
	expect(rig.seen('calls')).toHaveLength(1);
});

test('an artifact that is edited in place leaves the answer alone, and is not paid for again', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `echo call >> "$SEEN/calls"\n${say(answers.plan!)}`);
	await rig.packet('t1', { task_type: 'plan', provider: 'mine' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	await rig.sh('echo "2. And more." >> .tmp/task/t1/outputs/mine_plan.artifact.md');
	expect(await rig.read('.tmp/task/t1/outputs/mine_plan.mine.out')).not.toContain('And more.');
	expect((await rig.dispatch('run', 't1')).stdout).toContain('t1 is completed already');
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.read('.tmp/task/t1/outputs/mine_plan.artifact.md')).toContain('And more.');
});

test('acceptance commands see the environment of the user, and nothing of ours but the attempt', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	await rig.packet('t1', { routing: { intent: 'codex_only' }, acceptance: { commands: ['env | sed "s/=.*//" > "$SEEN/env"'] } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	const ours = rig.seen('env').filter((name) => !(name in rig.env) && !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
	expect(ours).toEqual(['DISPATCH_ATTEMPT']);
});

test('flags of an earlier run do not stand in the way of those that are typed now', async () => {
	await using rig = await Rig.create();
	await rig.textServant('flaky', 'cat > /dev/null; echo "flaky $*" >> "$SEEN/calls"; exit 1', { args: ['{model}'] });
	await rig.textServant('solid', `cat > /dev/null; echo "solid $*" >> "$SEEN/calls"\n${say(answers.plan!)}`, {
		args: ['{model}'],
		allowed_models: ['s1'],
	});
	for (const id of ['t1', 't2', 't3']) await rig.packet(id, { task_type: 'plan', budgets: { retry_budget: 0 } });

	await rig.dispatch('run', 't1', '--provider', 'flaky', '--model', 'm2');
	const now = await rig.dispatch('run', 't1', '--provider', 'solid');
	expect(now).toMatchObject({ exitCode: 0 });
	expect(now.stdout + now.stderr).toContain('warning: --model m2, kept from an earlier run, is dropped: not allowed for solid');

	await rig.dispatch('run', 't2', '--force-task-provider', 'flaky');
	expect((await rig.dispatch('run', 't2', '--provider', 'solid')).exitCode).toBe(0);

	await rig.dispatch('run', 't3', '--provider', 'flaky', '--model', 'm2');
	expect((await rig.dispatch('plan', 't3', '--model', '')).stdout).toMatch(/model +- +the servant's own default/);
	expect((await rig.dispatch('plan', 't3')).stdout).toContain('--model (kept from an earlier run; --model "" drops it)');
	await rig.dispatch('run', 't3', '--model', '');
	await rig.dispatch('retry', 't3');
	expect(rig.seen('calls')).toEqual(['flaky m2', 'solid ', 'flaky ', 'solid ', 'flaky m2', 'flaky ', 'flaky ']);
});

test('after inputs have changed, the command that is advised leaves no stage stale and pays none twice', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.servant('codex', codexSays(answers.review!));
	await rig.servant('copilot', copilotSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_cross' } }, { 'attachments/notes.md': 'one' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	await rig.write('.tmp/task/t1/inputs/attachments/notes.md', 'two');
	const told = (await rig.dispatch('run', 't1')).stdout;
	expect(told).toContain('t1 is completed already; dispatch run t1 --fresh runs it again\n');
	expect(told).toContain('warning: inputs changed since codex_review ran\n');
	await rig.packet('t2', { routing: { intent: 'codex_only' } }, { 'attachments/notes.md': 'one' });
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	expect((await rig.dispatch('run', 't2')).exitCode).toBe(0);
	await rig.write('.tmp/task/t2/inputs/attachments/notes.md', 'two');
	expect((await rig.dispatch('run', 't2')).stdout).toContain('dispatch run t2 --from codex_review runs it again from there\n');
});

test('what a completed plan says to go on with can be pasted, more than once', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.plan!));
	await rig.packet('it-plan', { task_type: 'plan', provider: 'mine' });
	expect((await rig.dispatch('run', 'it-plan')).exitCode).toBe(0);
	const [, command] =
		/next_action: "[^"]*; to go on: dispatch ([^"(]+) \(--allow PATH narrows it\)"/.exec(await rig.summary('it-plan')) ?? [];
	expect(command).toBe("add 'Implement it-plan' --type implement --based-on it-plan");
	for (let n = 0; n < 2; n++)
		expect(await rig.dispatch('add', 'Implement it-plan', '--type', 'implement', '--based-on', 'it-plan')).toMatchObject({ exitCode: 0 });
});
