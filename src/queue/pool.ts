import { ExitCode, gravest } from '../contract/exit-code.ts';
import type { Halt } from '../run/halt.ts';
import type { Purse } from '../run/purse.ts';
import { LaterList } from './later-list.ts';
import type { PacketEntry } from './packet-index.ts';
import { QueueView, type Sight } from './queue-view.ts';

/** What a pool is told to do, and how it sees the queue. */
export interface PoolOrder extends Sight {
	readonly runOne: (id: string) => Promise<{ readonly exitCode: number }>;
	/** What `runOne` threw: our bug, which must not disturb the other packets. */
	readonly bug: (id: string, error: unknown) => void;
	readonly jobs: number;
	readonly halt: Halt;
	readonly purse: Purse;
	/** The worktree that a packet goes on writing in, which only one can do at a time; null if it begins one of its own, or reads. */
	readonly treeOf?: (entry: PacketEntry) => string | null;
	/** How many packets to start at most. */
	readonly most?: number;
	/** A packet that somebody else owns is looked at again later (true), or counts as exit 5 (false). */
	readonly patient?: boolean;
	/** Goes on when nothing is left to do, until it is halted. */
	readonly endless?: boolean;
	/** Something is on its way that is not yet whole: a pool with nothing to do waits for it. */
	readonly waits?: () => boolean;
	readonly lookEveryMs: number;
}

export interface PoolEnd {
	readonly exitCode: number;
	/** Ids in the order they were started. Not kept by a pool that goes on for ever. */
	readonly ran: readonly string[];
	/** Packets that would be ours but wait for others. */
	readonly blocked: readonly string[];
}

/** Looking at the queue takes at most this part of the time. */
const lookShare = 40;
const blockersMs = 1000;
const idleMs = 60_000;

/**
 * Runs what is ready, `jobs` at a time, oldest first. What ended here is known at once; what others did, and what was added, is found by
 * looking at the queue whenever there is room for more. The packet's own lock decides who of several pools runs it.
 */
export class Pool {
	readonly #order: PoolOrder;
	readonly #view: QueueView;
	/** With the worktree that each continues. */
	readonly #running = new Map<string, string | null>();
	readonly #later = new LaterList();
	readonly #poked = new Set<string>();
	readonly #codes = new Set<number>();
	readonly #ran: string[] = [];
	#started = 0;
	#lookedAt = Number.NEGATIVE_INFINITY;
	#lookCostMs = 0;
	/** Something ended since the last look. */
	#stale = true;
	#wake: () => void = () => {};

	constructor(order: PoolOrder) {
		this.#order = order;
		this.#view = new QueueView(order);
	}

	async work(): Promise<PoolEnd> {
		const { halt, endless = false } = this.#order;
		const wake = () => this.#wake();
		for (const signal of [halt.gently, halt.leave]) signal.addEventListener('abort', wake);
		try {
			this.#look();
			for (;;) {
				this.#advance();
				if (this.#running.size === 0 && (this.#closed() || (!endless && !this.#waitsForOthers()))) return this.#end();
				await this.#somethingHappens();
			}
		} finally {
			for (const signal of [halt.gently, halt.leave]) signal.removeEventListener('abort', wake);
		}
	}

	/** This packet may have changed. Without an id: anything may have. */
	poke(id?: string): void {
		if (id === undefined) this.#lookedAt = Number.NEGATIVE_INFINITY;
		else this.#poked.add(id);
		this.#wake();
	}

	#advance(): void {
		for (const id of this.#poked) this.#view.update(id);
		this.#poked.clear();
		if (this.#closed()) return;
		this.#startReady();
		if (!this.#hungry() || !this.#lookDue()) return;
		this.#look();
		this.#startReady();
	}

	/** Nothing new is started any more. */
	#closed(): boolean {
		const { halt, purse, most = Number.POSITIVE_INFINITY } = this.#order;
		return (
			halt.gently.aborted ||
			halt.leave.aborted ||
			purse.empty() !== null ||
			this.#started >= most ||
			// A flag was wrong: it is wrong for every packet.
			this.#codes.has(ExitCode.usage)
		);
	}

	#hungry(): boolean {
		return !this.#closed() && this.#running.size < this.#order.jobs;
	}

	#lookDue(): boolean {
		const last = this.#running.size === 0 && this.#stale && !this.#order.endless;
		return last || performance.now() >= this.#nextLookAt();
	}

	#nextLookAt(): number {
		return this.#lookedAt + Math.max(this.#order.lookEveryMs, this.#lookCostMs * lookShare);
	}

	#look(): void {
		const from = performance.now();
		this.#view.look();
		this.#later.keepOnly(this.#view.ours);
		this.#stale = false;
		this.#lookedAt = performance.now();
		this.#lookCostMs = this.#lookedAt - from;
	}

	#startReady(): void {
		for (const id of this.#view.ours) {
			if (!this.#hungry()) return;
			if (!this.#startable(id)) continue;
			const tree = this.#treeOf(id);
			// It could only wait there, and be overtaken.
			if (tree !== null && [...this.#running.values()].includes(tree)) continue;
			if (this.#view.isStillReady(id)) this.#start(id, tree);
		}
	}

	#treeOf(id: string): string | null {
		const entry = this.#view.entryOf(id);
		return entry === null ? null : (this.#order.treeOf?.(entry) ?? null);
	}

	#startable(id: string): boolean {
		return !this.#running.has(id) && !this.#later.holds(id) && this.#view.isReady(id);
	}

	#start(id: string, tree: string | null): void {
		this.#running.set(id, tree);
		this.#started++;
		if (!this.#order.endless) this.#ran.push(id);
		void this.#run(id).finally(() => {
			this.#running.delete(id);
			this.#stale = true;
			this.poke(id);
		});
	}

	async #run(id: string): Promise<void> {
		// Taken before the run, so that a manifest corrected meanwhile is noticed.
		const key = this.#view.keyOf(id);
		const { exitCode } = await this.#order.runOne(id).catch((error: unknown) => {
			this.#order.bug(id, error);
			return { exitCode: ExitCode.bug };
		});
		const notNow = exitCode === ExitCode.locked || exitCode === ExitCode.blocked;
		if (notNow && (this.#order.patient ?? true)) {
			this.#started--;
			if (this.#later.add(id)) return;
		} else this.#codes.add(exitCode);
		this.#view.ended(id, key);
	}

	/** Packets that somebody else held a moment ago: theirs, or ours after all, as the next look will show. */
	#waitsForOthers(): boolean {
		return (this.#order.waits?.() ?? false) || [...this.#view.ours].some((id) => this.#later.holds(id));
	}

	#somethingHappens(): Promise<void> {
		if (this.#poked.size > 0) return Promise.resolve();
		const watchful = this.#order.endless === true && this.#hungry();
		const now = performance.now();
		const due = this.#hungry() ? Math.min(this.#nextLookAt(), this.#later.nextAt(), now + (watchful ? blockersMs : idleMs)) : now + idleMs;
		return new Promise((resolve) => {
			const timer = setTimeout(
				() => {
					if (watchful) this.#lookAtBlockers();
					this.#wake();
				},
				Math.max(1, due - now),
			);
			this.#wake = () => {
				clearTimeout(timer);
				this.#wake = () => {};
				resolve();
			};
		});
	}

	/** Between two looks: packets run by others that ours wait for. */
	#lookAtBlockers(): void {
		const blockers = [...this.#view.ours].slice(0, 200).flatMap((id) => this.#view.blockersOf(id));
		for (const id of blockers.slice(0, 200)) if (!this.#running.has(id)) this.#poked.add(id);
	}

	#end(): PoolEnd {
		const { halt, purse, endless, most = Number.POSITIVE_INFINITY } = this.#order;
		if (this.#codes.has(ExitCode.usage)) return { exitCode: ExitCode.usage, ran: this.#ran, blocked: [] };
		const left = this.#started < most && [...this.#view.ours].some((id) => this.#startable(id));
		const short = purse.empty() !== null && (left || endless === true);
		const codes = [...this.#codes, ...(short ? [ExitCode.budget] : []), ...(halt.gently.aborted ? [ExitCode.interrupted] : [])];
		return { exitCode: gravest(codes), ran: this.#ran, blocked: this.#view.blocked() };
	}
}
