import { expect, test } from 'vitest';
import { begun, explore, queueRig } from './queue-rig.ts';

/** Numbers in [0, 1) that a seed repeats. */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

const seed = Number(process.env.DISPATCH_TEST_SEED ?? Date.now() % 1_000_000);

/** Each depends on up to three of those before it in a shuffled order, so that age and order of dependencies differ. */
function chains(count: number, random: () => number): Map<string, string[]> {
	const ids = Array.from({ length: count }, (_, n) => `p${n}`);
	const order = ids.map((id) => ({ id, at: random() })).sort((a, b) => a.at - b.at);
	return new Map(
		order.map(({ id }, n) => {
			const some = Array.from({ length: Math.floor(random() * 4) }, () => order[Math.floor(random() * n)]?.id);
			return [id, n === 0 ? [] : [...new Set(some.filter((other) => other !== undefined))]];
		}),
	);
}

function expectOnceAndInOrder(log: readonly string[], needs: ReadonlyMap<string, readonly string[]>): void {
	const began = log.filter((line) => line.startsWith('begin ')).map((line) => line.slice(6));
	expect([...began].sort()).toEqual([...needs.keys()].sort());
	for (const [id, others] of needs)
		for (const other of others) expect(log.indexOf(`end ${other}`), `${id} after ${other}`).toBeLessThan(log.indexOf(`begin ${id}`));
}

const mostAtOnce = (log: readonly string[]): number => {
	let now = 0;
	return Math.max(
		...log.map((line) => {
			now += line.startsWith('begin ') ? 1 : -1;
			return now;
		}),
	);
};

test(`two workers and a watcher share 60 packets: each runs once, after its dependencies, never too many at a time (seed ${seed})`, async () => {
	await using rig = await queueRig({ maxConcurrent: 3 });
	const needs = chains(60, randomOf(seed));
	for (const [id, depends_on] of needs) await explore(rig, id, depends_on.length > 0 ? { depends_on } : {});
	const workers = [
		['work', '--all', '--jobs', '4'],
		['work', '--all', '--jobs', '4'],
		['watch', '--once', '--jobs', '2'],
	].map((args) => rig.start(args).ended);
	for (const worker of await Promise.all(workers)) expect(worker.exitCode, worker.stdout + worker.stderr).toBe(0);
	const log = rig.seen('log');
	expectOnceAndInOrder(log, needs);
	expect(mostAtOnce(log)).toBeLessThanOrEqual(3);
}, 120_000);

test(`killed at random moments and started again, nothing is lost and nothing is paid twice (seed ${seed})`, async () => {
	await using rig = await queueRig({ lasts: '0.1' });
	const random = randomOf(seed);
	const needs = chains(24, random);
	for (const [id, depends_on] of needs) await explore(rig, id, depends_on.length > 0 ? { depends_on } : {});
	for (let kill = 0; kill < 5; kill++) {
		const before = begun(rig).length;
		const work = rig.start(kill % 2 === 0 ? ['work', '--all', '--jobs', '3'] : ['watch', '--jobs', '3']);
		await rig.until(
			'some began',
			() => begun(rig).length >= Math.min(24, before + 1 + Math.floor(random() * 3)) || work.child.exitCode !== null,
		);
		await new Promise((resolve) => setTimeout(resolve, random() * 120));
		work.child.kill('SIGKILL');
		await work.ended;
	}
	const last = await rig.dispatch('work', '--all', '--jobs', '3');
	expect(last.exitCode, last.stdout + last.stderr).toBe(0);
	expectOnceAndInOrder(rig.seen('log'), needs);
	for (const id of needs.keys()) expect((await rig.stats(id)).paid_calls_used).toBe(1);
}, 120_000);
