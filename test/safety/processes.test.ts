import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answers, codexSays, Rig, type Started, say } from '../rig.ts';

/** Fake CLIs that do not want to end. Each says when it is ready for the worst. */
const ready = 'echo "$$" >> "$SEEN/ready"';
const zoo: Readonly<Record<string, string>> = {
	sleeps: `cat > /dev/null; ${ready}; sleep 300`,
	'ignores SIGTERM and SIGINT': `cat > /dev/null; trap '' TERM INT; ${ready}; while :; do sleep 0.2; done`,
	forks: `cat > /dev/null; sleep 300 & sleep 301 & (sleep 302; echo late) & ${ready}; wait`,
	'calls setsid': `cat > /dev/null; setsid sleep 300 & ${ready}; sleep 300`,
	'forks twice and leaves its children to init': `cat > /dev/null; (setsid sh -c 'sleep 300 & sleep 301 &' &); sleep 0.2; ${ready}; sleep 300`,
	'holds its pipes open in a child of another group': `cat > /dev/null; setsid sh -c 'trap "" TERM; while :; do sleep 0.2; done' & ${ready}; sleep 300`,
	'never reads its stdin': `${ready}; sleep 300`,
	'is stopped': `cat > /dev/null; ${ready}; kill -STOP $$; sleep 300`,
	'empties the environment of its children': `cat > /dev/null; env -i PATH="$PATH" HOME="$HOME" sh -c 'setsid sleep 300 & sleep 301' & sleep 0.5; ${ready}; sleep 300`,
};
/** These need the whole grace period. */
const stubborn = new Set(['ignores SIGTERM and SIGINT', 'holds its pipes open in a child of another group']);
const explore = { task_type: 'explore', provider: 'zoo' };

async function started(rig: Rig, manifest: object = explore): Promise<Started> {
	await rig.packet('p', manifest);
	const run = rig.start(['run', 'p']);
	await rig.until('the servant is ready', () => rig.seen('ready').length > 0);
	return run;
}

async function expectNothingLeft(rig: Rig): Promise<void> {
	await rig.until(`nothing is left of ${rig.living().map(commandOf).join(' | ')}`, () => rig.living().length === 0, 3);
}

function commandOf(pid: number): string {
	try {
		return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 80)}`;
	} catch {
		return `${pid}`;
	}
}

/** Status interrupted, said in the summary; the next run calls again and completes. */
async function expectInterrupted(rig: Rig, run: Started): Promise<void> {
	const ran = await run.ended;
	expect(ran.exitCode, ran.stderr).toBe(130);
	await expectNothingLeft(rig);
	expect(await rig.summary('p')).toContain('status: interrupted');
	const meta = await rig.meta('p', 'zoo_explore', 'zoo');
	expect(meta.outcome).toBe('interrupted');
	await rig.textServant('zoo', `cat > /dev/null\n${say(answers.explore!)}`);
	const again = await rig.dispatch('run', 'p');
	expect(again.exitCode, again.stdout + again.stderr).toBe(0);
	expect(await rig.summary('p')).toContain('status: completed');
	expect((await rig.stats('p')).paid_calls_used).toBe(2);
}

test.concurrent.each(Object.entries(zoo))('Ctrl-C ends a servant that %s, and what it started', async (name, script) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', script);
	const run = await started(rig);
	const began = Date.now();
	process.kill(run.pid, 'SIGINT');
	await expectInterrupted(rig, run);
	const seconds = (Date.now() - began) / 1000;
	if (stubborn.has(name)) expect(seconds).toBeGreaterThan(9);
	expect(seconds).toBeLessThan(25);
});

test.concurrent.each(Object.entries(zoo))('a second Ctrl-C ends a servant that %s at once', async (_name, script) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', script);
	const run = await started(rig);
	const began = Date.now();
	process.kill(run.pid, 'SIGINT');
	await new Promise((resolve) => setTimeout(resolve, 300));
	if (run.child.exitCode === null) process.kill(run.pid, 'SIGINT');
	expect((await run.ended).exitCode).toBe(130);
	expect((Date.now() - began) / 1000).toBeLessThan(7);
	await expectNothingLeft(rig);
	expect(await rig.summary('p')).toContain('status: interrupted');
});

test.concurrent.each(Object.entries(zoo))('at the time limit nothing is left of a servant that %s', async (_name, script) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', script);
	const run = await started(rig, { ...explore, budgets: { max_wallclock_sec: 1 } });
	const ran = await run.ended;
	expect(ran.exitCode, ran.stderr).toBe(1);
	await expectNothingLeft(rig);
	expect((await rig.lastFailure('p')).class).toBe('timeout');
});

test.concurrent('SIGTERM ends a run as Ctrl-C does', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', zoo.forks!);
	const run = await started(rig);
	process.kill(run.pid, 'SIGTERM');
	await expectInterrupted(rig, run);
});

test.concurrent.each([
	['stop', 'p'],
	['stop', 'p', '--now'],
])('dispatch %s %s ends a run and its servant', async (...args) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', zoo['calls setsid']!);
	const run = await started(rig);
	const stopped = await rig.dispatch(...args);
	expect(stopped.exitCode, stopped.stderr).toBe(0);
	await expectInterrupted(rig, run);
});

test.concurrent('SIGHUP leaves the servant running; the next run adopts it and pays nothing', async () => {
	await using rig = await Rig.create();
	await rig.textServant(
		'zoo',
		`cat > /dev/null; echo call >> "$SEEN/calls"; ${ready}; while [ ! -e "$SEEN/go" ]; do sleep 0.1; done; ${say(answers.explore!)}`,
	);
	const run = await started(rig);
	process.kill(run.pid, 'SIGHUP');
	const left = await run.ended;
	expect(left.exitCode).toBe(130);
	expect(rig.living().length).toBeGreaterThan(0);
	expect(rig.has('.tmp/task/p/state/lock')).toBe(false);
	const summary = await rig.summary('p');
	expect(summary).toContain('status: interrupted\n');
	expect(summary).toContain('next_action: "continue: dispatch run p continues where it stopped"');
	expect(await rig.dispatch('wait', 'p')).toMatchObject({
		exitCode: 130,
		stdout: 'p interrupted\n  next: dispatch run p continues where it stopped\n',
		stderr: '',
	});
	const adopting = rig.start(['run', 'p']);
	await rig.until('it is adopted', async () => (await rig.events('p')).some((event) => event.type === 'stage_started' && event.adopted));
	await rig.let('go');
	const ran = await adopting.ended;
	expect(ran.exitCode, ran.stderr).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 0 });
	expect((await rig.meta('p', 'zoo_explore', 'zoo')).adopted).toBe(true);
	await expectNothingLeft(rig);
});

test.concurrent('dispatch stop ends what a dead run left behind', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', zoo['calls setsid']!);
	const run = await started(rig);
	process.kill(run.pid, 'SIGKILL');
	await run.ended;
	expect(rig.living().length).toBeGreaterThan(0);
	const stopped = await rig.dispatch('stop', 'p');
	expect(stopped.exitCode, stopped.stderr).toBe(0);
	await expectNothingLeft(rig);
});

test.concurrent('a step limit ends a servant and all it started', async () => {
	await using rig = await Rig.create();
	const step = JSON.stringify({
		type: 'item.completed',
		item: { id: 'ITEM', type: 'command_execution', command: 'x', exit_code: 0, status: 'completed' },
	});
	await rig.servant(
		'codex',
		`cat > /dev/null; setsid sleep 300 & n=0; while :; do n=$((n+1)); echo '${step}' | sed "s/ITEM/i$n/"; sleep 0.05; done`,
	);
	await rig.packet('p', { task_type: 'explore', provider: 'codex', budgets: { max_steps: 5 } });
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).toBe(1);
	await expectNothingLeft(rig);
	expect((await rig.lastFailure('p')).class).toBe('max_steps');
});

test.concurrent.each([
	['forever without a newline', 'exec tr "\\0" x < /dev/zero'],
	['forever to stderr', 'exec cat /dev/zero >&2'],
])('output that goes on %s ends at the limit', async (_name, script) => {
	await using rig = await Rig.create();
	await rig.servant('codex', `cat > /dev/null; ${script}`);
	await rig.write('configs/servant/codex.yaml', 'wrapper_defaults:\n  max_output_mb: 3\n');
	await rig.packet('p', { task_type: 'explore', provider: 'codex' });
	const began = Date.now();
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stderr).toBe(1);
	await expectNothingLeft(rig);
	expect((await rig.lastFailure('p')).class).toBe('output_limit');
	expect(Date.now() - began).toBeLessThan(25_000);
	expect(ran.stdout.length).toBeLessThan(10_000);
});

test.concurrent('what a servant leaves behind after its answer is ended, and cannot write into the tree any more', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, `setsid sh -c 'while :; do echo x >> "$SEEN/late"; sleep 0.1; done' & sleep 0.3`));
	await rig.packet('p', { task_type: 'review', provider: 'codex' });
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout).toBe(0);
	await expectNothingLeft(rig);
});

test.concurrent('acceptance commands are ended with all they started, too', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.verify!));
	await rig.write('configs/pipeline/review.yaml', 'profiles:\n  only_verify:\n    stages: [codex_verify]\n');
	await rig.packet('p', {
		routing: { intent: 'only_verify' },
		acceptance: { commands: [`setsid sleep 300 & ${ready.replace('$SEEN', `${rig.base}/seen`)}; trap '' TERM; sleep 300; sleep 300`] },
	});
	const run = rig.start(['run', 'p']);
	await rig.until('the command runs', () => rig.seen('ready').length > 0);
	process.kill(run.pid, 'SIGINT');
	await new Promise((resolve) => setTimeout(resolve, 300));
	process.kill(run.pid, 'SIGINT');
	expect((await run.ended).exitCode).toBe(130);
	await expectNothingLeft(rig);
	expect(rig.seen('calls')).toEqual([]);
});
