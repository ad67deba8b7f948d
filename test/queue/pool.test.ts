import { describe, expect, test } from 'vitest';
import type { PacketStatus } from '../../src/contract/words.ts';
import type { PacketEntry } from '../../src/queue/packet-index.ts';
import { Pool, type PoolEnd, type PoolOrder } from '../../src/queue/pool.ts';
import { HaltSwitch } from '../../src/run/halt.ts';
import { bottomless, purseOf } from '../../src/run/purse.ts';
import { entry } from './entries.ts';

const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** A queue in memory whose packets end when the test says so. */
class Floor {
	readonly packets = new Map<string, PacketEntry>();
	readonly started: string[] = [];
	readonly halt = new HaltSwitch();
	readonly versions = new Map<string, string>();
	readonly bugs: string[] = [];
	looks = 0;
	readonly #ends = new Map<string, (code: number) => void>();
	readonly #throws = new Map<string, (error: Error) => void>();
	#arrived: () => void = () => {};

	constructor(...entries: readonly PacketEntry[]) {
		for (const one of entries) this.packets.set(one.id, one);
	}

	pool(more: Partial<PoolOrder> = {}): Pool {
		return new Pool({
			look: () => {
				this.looks++;
				return [...this.packets.values()];
			},
			lookAt: (id) => this.packets.get(id) ?? null,
			version: (id) => this.versions.get(id) ?? '1',
			takes: (one) => one.status === 'pending' || one.status === 'invalid' || one.orphaned,
			runOne: (id) => {
				this.started.push(id);
				this.#arrived();
				return new Promise((resolve, reject) => {
					this.#ends.set(id, (exitCode) => resolve({ exitCode }));
					this.#throws.set(id, reject);
				});
			},
			bug: (id) => this.bugs.push(id),
			jobs: 1,
			halt: this.halt,
			purse: bottomless,
			lookEveryMs: 5,
			...more,
		});
	}

	set(id: string, more: Partial<PacketEntry>): void {
		this.packets.set(id, { ...(this.packets.get(id) ?? entry(id)), ...more });
	}

	end(id: string, status: PacketStatus, code = 0): void {
		this.set(id, { status });
		this.#ends.get(id)!(code);
	}

	throws(id: string): void {
		this.#throws.get(id)!(new Error('boom'));
	}

	async untilStarted(...ids: string[]): Promise<void> {
		while (this.started.length < ids.length) {
			await new Promise<void>((resolve) => {
				this.#arrived = resolve;
			});
		}
		expect(this.started).toEqual(ids);
	}
}

describe('a pool', () => {
	test('runs the oldest first and no more at a time than it has jobs', async () => {
		const floor = new Floor(entry('new', { created: at(3) }), entry('old', { created: at(1) }), entry('mid', { created: at(2) }));
		const end = floor.pool({ jobs: 2 }).work();
		await floor.untilStarted('old', 'mid');
		floor.end('mid', 'completed');
		await floor.untilStarted('old', 'mid', 'new');
		floor.end('old', 'completed');
		floor.end('new', 'completed');
		expect(await end).toEqual<PoolEnd>({ exitCode: 0, ran: ['old', 'mid', 'new'], blocked: [] });
	});

	test('starts a packet when the last of its dependencies is completed, without another look at the queue', async () => {
		const floor = new Floor(entry('a'), entry('b'), entry('c', { dependsOn: ['a', 'b'] }));
		const end = floor.pool({ jobs: 4, lookEveryMs: 60_000 }).work();
		await floor.untilStarted('a', 'b');
		floor.end('a', 'completed');
		floor.end('b', 'completed');
		await floor.untilStarted('a', 'b', 'c');
		expect(floor.looks).toBe(1);
		floor.end('c', 'completed');
		await end;
	});

	test('a failed packet disturbs no other, and what depends on it stays blocked', async () => {
		const floor = new Floor(
			entry('a', { created: at(1) }),
			entry('after-a', { created: at(2), dependsOn: ['a'] }),
			entry('z', { created: at(3) }),
		);
		const end = floor.pool().work();
		await floor.untilStarted('a');
		floor.end('a', 'failed', 1);
		await floor.untilStarted('a', 'z');
		floor.end('z', 'completed');
		expect(await end).toEqual<PoolEnd>({ exitCode: 1, ran: ['a', 'z'], blocked: ['after-a'] });
	});

	test('packets that continue one worktree run one after the other, the oldest first, and hold up no others', async () => {
		const floor = new Floor(
			...['s1', 's2', 's3'].map((id, n) => entry(id, { created: at(n), sameBranch: true })),
			entry('other', { created: at(9) }),
		);
		const end = floor.pool({ jobs: 4, treeOf: (one) => (one.sameBranch ? 'm' : null) }).work();
		await floor.untilStarted('s1', 'other');
		floor.end('s1', 'completed');
		await floor.untilStarted('s1', 'other', 's2');
		floor.end('s2', 'failed', 1);
		await floor.untilStarted('s1', 'other', 's2', 's3');
		floor.end('s3', 'completed');
		floor.end('other', 'completed');
		expect(await end).toEqual<PoolEnd>({ exitCode: 1, ran: ['s1', 'other', 's2', 's3'], blocked: [] });
	});

	test('the gravest of the packets’ codes is the pool’s', async () => {
		const floor = new Floor(entry('a'), entry('b'), entry('c'));
		const end = floor.pool({ jobs: 3 }).work();
		await floor.untilStarted('a', 'b', 'c');
		floor.end('a', 'failed', 1);
		floor.end('b', 'needs_human', 6);
		floor.end('c', 'completed', 0);
		expect((await end).exitCode).toBe(6);
	});

	test('a packet added while it runs is picked up', async () => {
		const floor = new Floor(entry('a'));
		const end = floor.pool({ jobs: 2 }).work();
		await floor.untilStarted('a');
		floor.set('late', { created: at(9) });
		await floor.untilStarted('a', 'late');
		floor.end('late', 'completed');
		floor.end('a', 'completed');
		expect((await end).exitCode).toBe(0);
	});

	test('a packet that another process took is left to it, and its dependents follow when that one is done', async () => {
		const floor = new Floor(entry('a'), entry('b', { dependsOn: ['a'] }), entry('c'));
		const end = floor.pool({ jobs: 1 }).work();
		await floor.untilStarted('a');
		floor.end('a', 'in_progress', 5);
		await floor.untilStarted('a', 'c');
		floor.set('a', { status: 'completed' });
		floor.end('c', 'completed');
		await floor.untilStarted('a', 'c', 'b');
		floor.end('b', 'completed');
		expect((await end).exitCode).toBe(0);
	});

	test('a packet that was held for a moment is looked at again', async () => {
		const floor = new Floor(entry('a'));
		const end = floor.pool().work();
		await floor.untilStarted('a');
		floor.end('a', 'pending', 5);
		await floor.untilStarted('a', 'a');
		floor.end('a', 'completed', 0);
		expect((await end).exitCode).toBe(0);
	});

	test('a packet that failed for others since the last look is not started', async () => {
		const floor = new Floor(entry('a', { created: at(1) }), entry('b', { created: at(2) }));
		const end = floor.pool({ lookEveryMs: 60_000 }).work();
		await floor.untilStarted('a');
		floor.set('b', { status: 'failed' });
		floor.end('a', 'completed');
		expect((await end).ran).toEqual(['a']);
	});

	test('what stays invalid is told once per version of its manifest', async () => {
		const floor = new Floor(
			entry('a', { status: 'invalid', problems: [{ level: 'error', file: 'm', line: 1, col: 1, message: 'x', excerpt: null }] }),
		);
		const pool = floor.pool({ endless: true, lookEveryMs: 1 });
		const end = pool.work();
		await floor.untilStarted('a');
		floor.end('a', 'invalid', 3);
		floor.set('b', {});
		await floor.untilStarted('a', 'b');
		floor.end('b', 'completed');
		floor.set('a', { status: 'pending', problems: [] });
		floor.versions.set('a', '2');
		pool.poke('a');
		await floor.untilStarted('a', 'b', 'a');
		floor.halt.stop();
		floor.end('a', 'completed');
		expect((await end).exitCode).toBe(130);
	});

	test('a circle and a dependency that does not exist are run into, so that somebody says so', async () => {
		const floor = new Floor(
			entry('a', { dependsOn: ['b'] }),
			entry('b', { dependsOn: ['a'] }),
			entry('behind', { dependsOn: ['a'] }),
			entry('lost', { dependsOn: ['nobody'] }),
		);
		const end = floor.pool({ jobs: 9 }).work();
		await floor.untilStarted('a', 'b', 'lost');
		for (const id of ['a', 'b', 'lost']) floor.end(id, 'pending', 3);
		expect(await end).toEqual<PoolEnd>({ exitCode: 3, ran: ['a', 'b', 'lost'], blocked: ['behind'] });
	});

	test('an empty purse lets running packets finish, starts no new one and says so with exit 4', async () => {
		const purse = purseOf({ maxCalls: 1, maxCostUsd: null });
		const floor = new Floor(entry('a'), entry('b'));
		const end = floor.pool({ purse }).work();
		await floor.untilStarted('a');
		purse.takeCall();
		floor.end('a', 'completed');
		expect(await end).toMatchObject({ exitCode: 4, ran: ['a'] });
	});

	test('a purse that is just enough is no failure', async () => {
		const purse = purseOf({ maxCalls: 1, maxCostUsd: null });
		const floor = new Floor(entry('a'));
		const end = floor.pool({ purse }).work();
		await floor.untilStarted('a');
		purse.takeCall();
		floor.end('a', 'completed');
		expect((await end).exitCode).toBe(0);
	});

	test('an interruption starts nothing more and waits for what runs', async () => {
		const floor = new Floor(entry('a'), entry('b'));
		const end = floor.pool().work();
		await floor.untilStarted('a');
		floor.halt.stop();
		floor.end('a', 'interrupted', 130);
		expect(await end).toMatchObject({ exitCode: 130, ran: ['a'] });
	});

	test('our own bug in one packet leaves the others alone', async () => {
		const floor = new Floor(entry('a'), entry('b'));
		const end = floor.pool({ jobs: 2 }).work();
		await floor.untilStarted('a', 'b');
		floor.throws('a');
		floor.end('b', 'completed');
		expect((await end).exitCode).toBe(70);
		expect(floor.bugs).toEqual(['a']);
	});

	test('a wrong flag is wrong for all packets and said once', async () => {
		const floor = new Floor(entry('a'), entry('b'));
		const end = floor.pool().work();
		await floor.untilStarted('a');
		floor.end('a', 'pending', 2);
		expect(await end).toMatchObject({ exitCode: 2, ran: ['a'] });
	});

	test('an endless pool follows a dependency that another process completes', async () => {
		const floor = new Floor(entry('a', { status: 'in_progress' }), entry('b', { dependsOn: ['a'] }));
		const end = floor.pool({ endless: true, lookEveryMs: 60_000 }).work();
		floor.set('a', { status: 'completed' });
		await floor.untilStarted('b');
		floor.halt.stop();
		floor.end('b', 'completed');
		await end;
	});
});
