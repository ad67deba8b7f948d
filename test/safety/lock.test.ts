import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOf } from '../../src/process/identity.ts';
import { answers, Rig, say } from '../rig.ts';

const processes = 50;
const rounds = 20;
/** On a busy machine fewer rounds are run, and the suite says so; in CI all of them. */
const patienceMs = process.env.CI ? Number.POSITIVE_INFINITY : 25_000;

const patient = `cat > /dev/null\necho "$DISPATCH_ATTEMPT" >> "$SEEN/calls"\nwhile [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say(answers.explore!)}`;
const quick = `cat > /dev/null\necho call >> "$SEEN/calls"\n${say(answers.explore!)}`;
const explore = { task_type: 'explore', provider: 'zoo' };

test(`of ${processes} processes at one packet exactly one runs, and the others say who does and since when`, async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', patient);
	const began = Date.now();
	let done = 0;
	for (; done < rounds && Date.now() - began < patienceMs; done++) {
		const id = `race-${done}`;
		await rig.packet(id, explore);
		const started = Array.from({ length: processes }, () => rig.start(['run', id]));
		const refused: { exitCode: number | null; stderr: string; stdout: string }[] = [];
		const all = started.map(async (one) => {
			const ran = await one.ended;
			if (ran.exitCode !== 0) refused.push(ran);
			return { ...ran, pid: one.pid };
		});
		await rig.until('all but one are refused', () => refused.length >= processes - 1, 50);
		await rig.let('go');
		const ran = await Promise.all(all);
		await rig.sh('rm ../seen/go');
		const odd = ran
			.filter(({ exitCode }) => exitCode !== 0 && exitCode !== 5)
			.map((one) => `${one.exitCode} ${one.signal} ${one.stdout}${one.stderr}`);
		expect(odd, 'neither ran nor was refused').toEqual([]);
		expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, ...Array(processes - 1).fill(5)]);
		const winner = ran.find(({ exitCode }) => exitCode === 0)!;
		for (const one of refused) {
			expect(`${one.stdout}${one.stderr}`).toMatch(
				new RegExp(`^${id} is being run by process ${winner.pid} on ${hostname()} since 20\\d\\d-\\d\\d-\\d\\dT`),
			);
		}
		expect(rig.seen('calls')).toHaveLength(done + 1);
		expect((await rig.events(id)).filter((event) => event.type === 'run_started')).toHaveLength(1);
		expect((await rig.sh(`ls -A .tmp/task/${id}/state | grep -i lock`)).stdout).toBe('');
	}
	console.log(`lock: ${done} rounds of ${processes} processes in ${((Date.now() - began) / 1000).toFixed(1)} s, one winner in each`);
	expect(done).toBeGreaterThan(0);
}, 600_000);

test('processes that find the lock of a dead run are no more than one either', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', patient);
	for (let round = 0; round < 3; round++) {
		const id = `left-${round}`;
		await rig.packet(id, explore);
		await lockWith(rig, id, JSON.stringify({ ...deadOwner(), token: `abcdef0${round}` }));
		const started = Array.from({ length: 16 }, () => rig.start(['run', id]));
		const codes: (number | null)[] = [];
		const all = started.map(async (one) => codes.push((await one.ended).exitCode));
		await rig.until('all but one are refused', () => codes.length >= 15, 50);
		await rig.let('go');
		await Promise.all(all);
		await rig.sh('rm ../seen/go');
		expect(codes.sort()).toEqual([0, ...Array(15).fill(5)]);
		expect(rig.seen('calls')).toHaveLength(round + 1);
	}
});

const self = () => identityOf(process.pid)!;
const deadOwner = () => ({ ...self(), pid: 4_194_303, token: 'abcdef01', since: '2026-01-01T00:00:00.000Z', command: 'dispatch run x' });

async function lockWith(rig: Rig, id: string, content: string | Uint8Array): Promise<void> {
	await rig.write(`.tmp/task/${id}/state/lock`, content);
}

test.each<[string, () => string | Uint8Array]>([
	['whose process is gone', () => JSON.stringify(deadOwner())],
	['whose pid was given to another process', () => JSON.stringify({ ...deadOwner(), pid: process.pid, start_time: '1' })],
	[
		'of before a reboot',
		() => JSON.stringify({ ...deadOwner(), pid: process.pid, start_time: self().start_time, boot_id: 'another-boot' }),
	],
	['full of garbage', () => new Uint8Array([0, 255, 254, 10, 123, 34, 0, 200])],
	['that is a JSON of something else', () => '{"pid": "1", "token": "../../x"}'],
	['whose token is a path', () => JSON.stringify({ ...deadOwner(), token: '../../../../evil' })],
	['that is empty', () => ''],
])('a lock %s is taken over', async (_name, content) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', quick);
	await rig.packet('p', explore);
	await lockWith(rig, 'p', content());
	const ran = await rig.dispatch('run', 'p');
	expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
	expect(rig.seen('calls')).toHaveLength(1);
	expect((await rig.sh('ls -A .tmp/task/p/state | grep -i lock')).stdout).toBe('');
});

test.each<[string, () => object, RegExp]>([
	['of a living process', () => ({ ...deadOwner(), ...self() }), /is being run by process \d+ on .* since 2026-01-01T00:00:00.000Z/],
	[
		'of another host',
		() => ({ ...deadOwner(), host: 'elsewhere' }),
		/locked by process 4194303 on elsewhere since 2026-01-01.*dispatch unlock p/,
	],
	['of another pid namespace', () => ({ ...deadOwner(), pid_namespace: 'pid:[1]' }), /dispatch unlock p/],
	['that tries to steer the terminal', () => ({ ...deadOwner(), host: 'x\u001b[2J\u009b31m' }), /x\\x1b\[2J\\x9b31m/],
])('a lock %s is never taken over', async (_name, owner, says) => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', quick);
	await rig.packet('p', explore);
	const lock = JSON.stringify(owner());
	await lockWith(rig, 'p', lock);
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).toBe(5);
	expect(`${ran.stdout}${ran.stderr}`).toMatch(says);
	expect(await rig.read('.tmp/task/p/state/lock')).toBe(lock);
	expect(rig.seen('calls')).toEqual([]);
	expect(rig.has('.tmp/task/p/outputs')).toBe(false);
});

test("another host's lock is removed by a human with unlock, a living one's is not", async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', quick);
	await rig.packet('p', explore);
	await lockWith(rig, 'p', JSON.stringify({ ...deadOwner(), ...self() }));
	const kept = await rig.dispatch('unlock', 'p');
	expect(kept.exitCode).toBe(5);
	expect(rig.has('.tmp/task/p/state/lock')).toBe(true);
	await lockWith(rig, 'p', JSON.stringify({ ...deadOwner(), host: 'elsewhere' }));
	expect((await rig.dispatch('unlock', 'p')).exitCode).toBe(0);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
});

test('a directory in place of the lock is left for a human, and unlock does not call it unlocked', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', quick);
	await rig.packet('p', explore);
	await mkdir(join(rig.root, '.tmp/task/p/state/lock'), { recursive: true });
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).toBe(5);
	expect(`${ran.stdout}${ran.stderr}`).toContain('something that is no lock of ours');
	const unlock = await rig.dispatch('unlock', 'p');
	expect(unlock.exitCode).not.toBe(70);
	expect(unlock.stdout).not.toContain('is not locked');
	expect(rig.has('.tmp/task/p/state/lock')).toBe(true);
});

test('a run whose lock was taken from it while it slept writes nothing more', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', patient);
	await rig.packet('p', explore);
	const sleeper = rig.start(['run', 'p']);
	await rig.until('the servant is called', () => rig.seen('calls').length === 1);
	await rig.settled('p');
	process.kill(sleeper.pid, 'SIGSTOP');
	const other = JSON.stringify({ ...deadOwner(), ...self(), token: 'feedfacefeedface' });
	await writeFile(join(rig.root, '.tmp/task/p/state/lock'), other);
	const before = await readFile(join(rig.root, '.tmp/task/p/state/events.jsonl'), 'utf8');
	const summary = await rig.summary('p');
	await rig.let('go');
	process.kill(sleeper.pid, 'SIGCONT');
	const ran = await sleeper.ended;
	expect(ran.exitCode).toBe(5);
	expect(`${ran.stdout}${ran.stderr}`).toContain('another run has taken over');
	expect(await rig.read('.tmp/task/p/state/events.jsonl')).toBe(before);
	expect(await rig.summary('p')).toBe(summary);
	expect(rig.has('.tmp/task/p/done/zoo_explore.done')).toBe(false);
	expect(await rig.read('.tmp/task/p/state/lock')).toBe(other);
});
