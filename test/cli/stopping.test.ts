import { expect, test } from 'vitest';
import { answers, codexSays, Rig, say } from '../rig.ts';

/** A packet whose servant works until the test says `go`. */
async function slow(): Promise<Rig> {
	const rig = await Rig.create();
	await rig.textServant(
		'mine',
		`cat > /dev/null; echo $$ >> "$SEEN/pids"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say(answers.explore!)}`,
	);
	await rig.packet('t', { task_type: 'explore', provider: 'mine' });
	return rig;
}
const begun = (rig: Rig) => rig.until('the servant runs', () => rig.seen('pids').length > 0);

test('a running packet is waited for, and wait exits as it did', async () => {
	await using rig = await slow();
	const run = rig.start(['run', 't']);
	await begun(rig);
	expect(await rig.dispatch('wait', 't', '--timeout', '0.1')).toMatchObject({ exitCode: 5, stderr: 't still runs after 0.1 s\n' });
	const late = await rig.dispatch('wait', 't', '--timeout', '0.1', '--json');
	expect([late.exitCode, JSON.parse(late.stdout)]).toEqual([
		5,
		{ task_id: 't', status: 'in_progress', exit_code: 5, next_action: 'wait: dispatch wait t' },
	]);
	const unlock = await rig.dispatch('unlock', 't');
	expect(unlock).toMatchObject({ exitCode: 5, stderr: 'not removed: its owner lives; dispatch stop t ends it\n' });
	expect(unlock.stdout).toMatch(
		new RegExp(`^t is locked by process ${run.pid} on .* since .* \\(alive\\), called as "dispatch run t"\\n$`),
	);
	expect((await rig.dispatch('budget', 't', '--paid-calls', '3')).exitCode).toBe(5);
	const waiting = rig.start(['wait', 't']);
	const following = rig.start(['logs', 't', '-f']);
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
	expect(await waiting.ended).toMatchObject({
		exitCode: 0,
		stdout: 't completed\n  next: read .tmp/task/t/outputs/mine_explore.mine.out\n',
	});
	expect((await following.ended).stdout).toContain('run finished: completed');
	expect((await rig.dispatch('wait', 't')).exitCode).toBe(0);
});

test('stop ends a run and its servants; wait then gives the same exit code as the run', async () => {
	await using rig = await slow();
	const run = rig.start(['run', 't']);
	await begun(rig);
	expect(await rig.dispatch('stop', 't')).toMatchObject({ exitCode: 0, stdout: 't stopped; dispatch run t continues it\n' });
	expect(rig.living()).toEqual([]);
	expect((await run.ended).exitCode).toBe(130);
	expect((await rig.dispatch('wait', 't')).exitCode).toBe(130);
	expect(await rig.summary('t')).toContain('next_action: "continue: dispatch run t continues where it stopped"');
});

test('a stage whose acceptance commands run is told as running, and as what was interrupted', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	const commands = ['touch "$SEEN/checking"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done'];
	await rig.packet('t', { routing: { intent: 'codex_only' }, acceptance: { commands } });
	const run = rig.start(['run', 't']);
	await rig.until('the command runs', () => rig.seenFiles().includes('checking'));
	const words = 'Running: codex_verify; 1 of 2 stages passed.';
	expect((await rig.dispatch('show', 't')).stdout).toContain(words);
	await rig.until('the summary says so', async () => (await rig.summary('t')).includes(words));
	run.child.kill('SIGINT');
	expect((await run.ended).exitCode).toBe(130);
	expect(await rig.summary('t')).toContain('Interrupted while codex_verify was running; 1 of 2 stages passed.');
	// A review before it is not the packet's verdict.
	expect(await rig.summary('t')).toContain('verdict: null\n');
	await rig.let('go');
	expect((await rig.dispatch('run', 't')).exitCode).toBe(0);
	expect(await rig.stats('t')).toMatchObject({ paid_calls_used: 2, stages_completed: ['codex_review', 'codex_verify'] });
});

test('a run that is killed while acceptance commands run was interrupted in that stage, and is continued', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	const commands = ['touch "$SEEN/checking"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done'];
	await rig.packet('t', { routing: { intent: 'codex_only' }, acceptance: { commands } });
	const run = rig.start(['run', 't']);
	await rig.until('the command runs', () => rig.seenFiles().includes('checking'));
	run.child.kill('SIGKILL');
	await run.ended;
	expect((await rig.dispatch('show', 't')).stdout).toContain('Interrupted while codex_verify was running; 1 of 2 stages passed.');
	await rig.let('go');
	expect((await rig.dispatch('run', 't')).exitCode).toBe(0);
	expect((await rig.stats('t')).paid_calls_used).toBe(2);
});

test('stopped while a stage waits, it is continued by the same words', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', 'cat > /dev/null; echo "Rate limit exceeded, try again in 300s"');
	await rig.packet('t', { task_type: 'explore', provider: 'mine' });
	const run = rig.start(['run', 't']);
	await rig.until('it waits', async () => rig.has('.tmp/task/t/outputs/_summary.md') && (await rig.summary('t')).includes('| waiting'));
	run.child.kill('SIGINT');
	expect((await run.ended).exitCode).toBe(130);
	expect(await rig.summary('t')).toContain('next_action: "continue: dispatch run t continues where it stopped"');
});

test('a run that was killed: wait says so, stop ends the servant it left, and the next run pays nothing twice', async () => {
	await using rig = await slow();
	const run = rig.start(['run', 't']);
	await begun(rig);
	run.child.kill('SIGKILL');
	await run.ended;
	const waited = await rig.dispatch('wait', 't');
	expect(waited).toMatchObject({ exitCode: 130, stderr: 't was interrupted: its run ended without a word; dispatch run t continues it\n' });
	expect((await rig.dispatch('show', 't')).stdout).toContain('status: interrupted\n');
	expect(rig.living()).not.toEqual([]);
	expect(await rig.dispatch('stop', 't')).toMatchObject({ exitCode: 0, stdout: 't: ended mine_explore, left by a run that is gone\n' });
	expect(rig.living()).toEqual([]);
	expect(await rig.dispatch('stop', 't')).toMatchObject({ exitCode: 0, stdout: 't does not run\n' });
	await rig.let('go');
	expect(await rig.dispatch('run', 't')).toMatchObject({ exitCode: 0 });
	const [first, second] = (await rig.events('t')).filter((event) => event.type === 'stage_finished');
	expect(first).toMatchObject({ attempt: 1, class: 'interrupted' });
	expect(second).toMatchObject({ attempt: 2, status: 'passed' });
	expect(rig.seen('pids').length).toBe(2);
	expect((await rig.stats('t')).paid_calls_used).toBe(2);
});

test('unlock shows the owner and removes the lock of a dead one, and of another host', async () => {
	await using rig = await slow();
	const lock = {
		pid: 1,
		start_time: '1',
		boot_id: 'b',
		pid_namespace: 'n',
		host: 'far\u001b[31m',
		token: 'abcdef0123456789',
		since: '2026-01-01T00:00:00Z',
		command: 'dispatch run t',
	};
	await rig.write('.tmp/task/t/state/lock', JSON.stringify(lock));
	expect((await rig.dispatch('stop', 't')).exitCode).toBe(5);
	expect(await rig.dispatch('unlock', 't')).toMatchObject({
		exitCode: 0,
		stdout:
			't is locked by process 1 on far\\x1b[31m since 2026-01-01T00:00:00Z (cannot be looked at from here), called as "dispatch run t"\nunlocked; dispatch run t continues it\n',
	});
	expect(rig.has('.tmp/task/t/state/lock')).toBe(false);
});

test('a budget is raised on purpose, never below what is used', async () => {
	await using rig = await slow();
	await rig.let('go');
	await rig.write('.tmp/task/t/manifest.yaml', 'task_id: t # mine\ngoal: g\ntask_type: explore\nprovider: mine\n');
	await rig.dispatch('run', 't');
	expect(await rig.dispatch('budget', 't', '--paid-calls', '20', '--max-cost', '1.5')).toMatchObject({
		exitCode: 0,
		stdout: 'paid_call_budget: 10 → 20 (used: 1)\nmax_cost_usd: no limit → 1.5 (used: 0)\n',
	});
	expect(await rig.read('.tmp/task/t/manifest.yaml')).toBe(
		'task_id: t # mine\ngoal: g\ntask_type: explore\nprovider: mine\nbudgets:\n  paid_call_budget: 20\n  max_cost_usd: 1.5\n',
	);
	expect(await rig.dispatch('budget', 't', '--paid-calls', '0')).toMatchObject({
		exitCode: 2,
		stderr: 'dispatch: t has used 1 already; paid_call_budget cannot be 0\n',
	});
});
