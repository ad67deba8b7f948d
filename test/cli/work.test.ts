import { expect, test } from 'vitest';
import type { Rig } from '../rig.ts';
import { begun, explore, queueRig } from './queue-rig.ts';

const made = (n: number) => ({ created_at: `2026-01-01T00:00:${String(n).padStart(2, '0')}Z` });

const lastStatus = async (rig: Rig, id: string): Promise<string> => {
	const last = (await rig.events(id)).at(-1);
	return last?.type === 'run_finished' ? last.status : 'in_progress';
};

test('work runs the next ready packet, the oldest first, and says when nothing is ready', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-young', made(2));
	await explore(rig, 'p-old', made(1));
	await explore(rig, 'p-after', { ...made(0), depends_on: 'p-bad' });
	await explore(rig, 'p-bad', made(3));
	await rig.let('bad-p-bad');
	expect((await rig.dispatch('work')).exitCode).toBe(0);
	expect(begun(rig)).toEqual(['p-old']);
	expect((await rig.dispatch('work')).exitCode).toBe(0);
	expect((await rig.dispatch('work')).exitCode).toBe(1);
	expect(begun(rig)).toEqual(['p-old', 'p-young', 'p-bad']);
	const last = await rig.dispatch('work');
	expect(last).toMatchObject({ exitCode: 0, stdout: 'nothing is ready\n(1 task blocked by dependencies)\n' });
});

test('work with ids goes in dependency order and names who blocks', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-c', { depends_on: 'p-b' });
	await explore(rig, 'p-b', { depends_on: 'p-a' });
	await explore(rig, 'p-a');
	const blocked = await rig.dispatch('work', 'p-c');
	expect(blocked.exitCode).toBe(7);
	expect(blocked.stdout + blocked.stderr).toContain('p-c is blocked by p-b (pending)');
	expect((await rig.dispatch('work', 'p-c', 'p-a', 'p-b', '--jobs', '3')).exitCode).toBe(0);
	expect(begun(rig)).toEqual(['p-a', 'p-b', 'p-c']);
});

test('a blocked packet says what it waits for and what helps, not a command that is refused', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-a');
	await explore(rig, 'p-b', { depends_on: 'p-a' });
	await explore(rig, 'p-c', { based_on: 'p-b' });
	const nextOf = async (id: string) => JSON.parse((await rig.dispatch('show', id, '--json')).stdout).next_action;
	expect(await nextOf('p-c')).toBe('blocked: it waits for p-b (pending); dispatch work --all runs it after that');
	expect((await rig.dispatch('wait', 'p-c')).stderr).toBe(
		'dispatch: p-c has never run; it waits for p-b (pending); dispatch work --all runs it after that\n',
	);
	await rig.let('bad-p-a');
	await rig.dispatch('run', 'p-a');
	expect(await nextOf('p-c')).toBe('blocked: it waits for p-b (pending); dispatch show p-a says what to do');
	expect((await rig.dispatch('show', 'p-b')).stdout).toContain('Next: it waits for p-a (failed); dispatch show p-a says what to do');
	expect(await rig.dispatch('run', 'p-b')).toMatchObject({
		exitCode: 7,
		stderr: 'p-b is blocked by p-a (failed); dispatch show p-a says what to do\n',
	});
	await rig.sh('rm "../seen/bad-p-a"');
	await rig.let('hold-p-a');
	const retry = rig.start(['retry', 'p-a']);
	await rig.until('p-a runs again', () => begun(rig).length === 2);
	expect(await nextOf('p-b')).toBe('blocked: it waits for p-a (in_progress); dispatch wait p-a, then dispatch work --all');
	await rig.let('go-p-a');
	expect((await retry.ended).exitCode).toBe(0);
	expect(await nextOf('p-b')).toBe('run: dispatch run p-b');
});

test('work --all picks up what is added while it runs; one that fails disturbs no other', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p-slow');
	await explore(rig, 'p-bad');
	await rig.let('hold-p-slow');
	await rig.let('bad-p-bad');
	const work = rig.start(['work', '--all', '--jobs', '2']);
	await rig.until('both began', () => begun(rig).length === 2);
	await explore(rig, 'p-late');
	await rig.until('the late one ran', () => rig.seen('log').includes('end p-late'));
	await rig.let('go-p-slow');
	expect((await work.ended).exitCode).toBe(1);
	expect(await Promise.all(['p-slow', 'p-bad', 'p-late'].map((id) => lastStatus(rig, id)))).toEqual(['completed', 'failed', 'completed']);
});

test('a packet that is moved away while it runs disturbs no other', async () => {
	await using rig = await queueRig();
	for (const id of ['p-gone', 'p-slow']) {
		await explore(rig, id);
		await rig.let(`hold-${id}`);
	}
	const work = rig.start(['work', '--all', '--jobs', '2']);
	await rig.until('both began', () => begun(rig).length === 2);
	await rig.sh('mv .tmp/task/p-gone .tmp/elsewhere');
	await rig.let('go-p-gone');
	await rig.until('its servant ended', () => rig.seen('log').includes('end p-gone'));
	await explore(rig, 'p-late');
	await rig.until('the late one ran', () => rig.seen('log').includes('end p-late'));
	await rig.let('go-p-slow');
	const { exitCode, stdout, stderr } = await work.ended;
	expect(exitCode, stdout + stderr).toBe(6);
	expect(stderr).toMatch(/^p-gone: writing .*: the directory is gone; /m);
	expect(await Promise.all(['p-slow', 'p-late'].map((id) => lastStatus(rig, id)))).toEqual(['completed', 'completed']);
});

test('an invalid packet is told, and the others run', async () => {
	await using rig = await queueRig();
	await rig.write('.tmp/task/p-wrong/manifest.yaml', 'task_id: p-wrong\ngoall: x\ntask_type: explore\n');
	await explore(rig, 'p-good');
	const work = await rig.dispatch('work', '--all');
	expect(work.exitCode).toBe(3);
	expect(work.stdout + work.stderr).toContain('did you mean "goal"?');
	expect(await rig.summary('p-wrong')).toContain('status: invalid');
	expect(begun(rig)).toEqual(['p-good']);
});

test('--max-calls stops the whole queue with exit 4; the next work goes on', async () => {
	await using rig = await queueRig();
	for (const id of ['p-1', 'p-2', 'p-3']) await explore(rig, id);
	const first = await rig.dispatch('work', '--all', '--max-calls', '2');
	expect(first.exitCode).toBe(4);
	expect(first.stdout).toContain('nothing more is started: all 2 calls of --max-calls are used');
	expect(begun(rig)).toHaveLength(2);
	expect((await rig.dispatch('work', '--all')).exitCode).toBe(0);
	expect(begun(rig).sort()).toEqual(['p-1', 'p-2', 'p-3']);
});

test('what got no call out of --max-calls stays pending, what was cut between stages says so, and watch takes both later', async () => {
	await using rig = await queueRig();
	await rig.write('configs/pipeline/two.yaml', 'profiles:\n  two:\n    stages: [explore, explore-2]\n');
	await explore(rig, 'p-1', { ...made(1), routing: { intent: 'two' } });
	for (const n of [2, 3]) await explore(rig, `p-${n}`, made(n));
	for (const id of ['p-1', 'p-2', 'p-3']) await rig.let(`hold-${id}`);
	const watch = rig.start(['watch', '--once', '--jobs', '3', '--max-calls', '1', '-q']);
	await rig.until('one began', () => begun(rig).length === 1);
	const called = begun(rig)[0]!;
	for (const id of ['p-1', 'p-2', 'p-3']) await rig.let(`go-${id}`);
	expect((await watch.ended).exitCode).toBe(4);
	for (const id of ['p-1', 'p-2', 'p-3']) {
		if (id === called) continue;
		expect((await rig.dispatch('show', id)).stdout).toMatch(/^status: pending\n/m);
	}
	// The one that was called may have had one stage only; then the limit is spent on the first stage of two.
	if (called !== 'p-1') expect((await rig.dispatch('watch', '--once', '--max-calls', '1')).exitCode).toBe(4);
	const cut = await rig.summary('p-1');
	expect(cut).toMatch(/^next_action: "continue: the one call of --max-calls is used; dispatch run p-1 continues where it stopped"\n/m);
	expect(cut).toContain(
		'**interrupted**: Stopped between two calls, because --max-calls or --max-cost of the queue is used up; 1 of 2 stages passed.',
	);
	expect((await rig.dispatch('next')).stdout).toContain('p-1  [explore] Goal of p-1 (interrupted)\n');
	expect((await rig.dispatch('watch', '--once')).exitCode).toBe(0);
	for (const id of ['p-1', 'p-2', 'p-3']) expect(await lastStatus(rig, id)).toBe('completed');
	expect(begun(rig)).toHaveLength(4);
});

test('--max-calls that is just enough for the one packet asked for is no failure', async () => {
	await using rig = await queueRig();
	for (const id of ['p-1', 'p-2']) await explore(rig, id);
	expect(await rig.dispatch('work', '--max-calls', '1', '-q')).toMatchObject({ exitCode: 0, stdout: '' });
});

test('an interruption ends all running packets, starts no other, and work continues them later', async () => {
	await using rig = await queueRig();
	for (const id of ['p-1', 'p-2', 'p-3']) {
		await explore(rig, id);
		await rig.let(`hold-${id}`);
	}
	const work = rig.start(['work', '--all', '--jobs', '2']);
	await rig.until('two began', () => begun(rig).length === 2);
	work.child.kill('SIGINT');
	expect((await work.ended).exitCode).toBe(130);
	expect(begun(rig)).toHaveLength(2);
	for (const id of begun(rig)) expect(await lastStatus(rig, id)).toBe('interrupted');
	for (const id of ['p-1', 'p-2', 'p-3']) await rig.let(`go-${id}`);
	expect((await rig.dispatch('work', '--all', '--jobs', '3')).exitCode).toBe(0);
	for (const id of ['p-1', 'p-2', 'p-3']) expect(await lastStatus(rig, id)).toBe('completed');
});

/** SIGTERM in the moment in which a packet's journal says that it is completed. */
const stoppedWhenCompleted = `data:text/javascript,${encodeURIComponent(`
	import fs from 'node:fs';
	import { syncBuiltinESMExports } from 'node:module';
	const { writeSync } = fs;
	fs.writeSync = (fd, bytes, ...rest) => {
		const written = writeSync(fd, bytes, ...rest);
		if (String(bytes).includes('"run_finished"')) process.emit('SIGTERM');
		return written;
	};
	syncBuiltinESMExports();
`)}`;

test('stopped between a packet and the review it asks for, the queue goes on with the review', async () => {
	await using rig = await queueRig();
	await explore(rig, 'p', { create_review: true });
	const stopped = await rig.start(['work', '--all'], { node: ['--import', stoppedWhenCompleted] }).ended;
	expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(130);
	expect(await lastStatus(rig, 'p')).toBe('completed');
	expect(begun(rig)).toHaveLength(1);
	await rig.dispatch('work', '--all');
	expect(await lastStatus(rig, 'p-review')).not.toBe('in_progress');
	expect(begun(rig).length).toBeGreaterThan(1);
});

test('--max-cost says once of whom it cannot count the calls', async () => {
	await using rig = await queueRig();
	for (const id of ['p-1', 'p-2']) await explore(rig, id);
	const { stdout } = await rig.dispatch('work', '--all', '--max-cost', '5');
	const warning =
		'warning: --max-cost does not count all calls: the cost of fake with its own default model cannot be known without prices in its servant file';
	expect(stdout.split('\n').filter((line) => line === warning)).toHaveLength(1);
});

test('packets on one branch run in the order they were made', async () => {
	await using rig = await queueRig();
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	const script = `id=$(sed -n 's/.*Goal of \\([A-Za-z0-9-]*\\).*/\\1/p' | head -n 1)\necho "begin $id" >> "$SEEN/log"\necho "$id" >> src/a.txt\necho done`;
	await rig.textServant('fake', script);
	const task = { task_type: 'task', routing: { intent: 'one' }, scope: { allow: ['**'] } };
	await rig.packet('m', task);
	expect((await rig.dispatch('run', 'm')).exitCode).toBe(0);
	for (const n of [1, 2, 3, 4]) await rig.packet(`same${n}`, { ...task, ...made(n), depends_on: 'm', same_branch: true });
	expect((await rig.dispatch('work', '--all', '--jobs', '4')).exitCode).toBe(0);
	expect(begun(rig)).toEqual(['m', 'same1', 'same2', 'same3', 'same4']);
});

test('a flag that is wrong is the caller’s mistake, said once', async () => {
	await using rig = await queueRig();
	for (const id of ['p-1', 'p-2']) await explore(rig, id);
	const wrong = await rig.dispatch('work', '--all', '--provider', 'nobody');
	expect(wrong.exitCode).toBe(2);
	expect(`${wrong.stdout}${wrong.stderr}`.match(/nobody/g)).toHaveLength(1);
	expect((await rig.dispatch('work', '--jobs', '0')).exitCode).toBe(2);
	await rig.sh('rm -r .tmp/task');
	for (const command of ['work', 'watch'])
		expect(await rig.dispatch(command, '--provider', 'nobody'), command).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--provider  error  unknown servant "nobody"'),
		});
	expect(await rig.dispatch('watch', '--provider', 'codex', '--model', 'opus')).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('--model  error  provider/model mismatch: model "opus" is one of claude'),
	});
});

test('a variable that names no servant is refused when work and watch start, also when nothing is ready', async () => {
	await using rig = await queueRig();
	const refused = {
		exitCode: 3,
		stderr: 'DISPATCH_PROVIDER  error  unknown servant "nobody"; known: claude, codex, gemini, copilot, replay, fake\n',
	};
	const env = { DISPATCH_PROVIDER: 'nobody' };
	for (const command of ['work', 'watch']) expect(await rig.start([command], { env }).ended, command).toMatchObject(refused);
	for (const id of ['p-1', 'p-2']) await explore(rig, id);
	for (const args of [['work'], ['watch', '--once']]) expect(await rig.start(args, { env }).ended, args[0]).toMatchObject(refused);
});
