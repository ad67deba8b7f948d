import { packetNames } from '../packet/names.ts';
import { readTail } from '../packet/read.ts';
import { isLeft } from './chain.ts';
import type { PacketEntry } from './packet-index.ts';
import { Pool, type PoolEnd, type PoolOrder } from './pool.ts';
import { quietSince } from './quiet-since.ts';
import { toBeTold } from './to-be-told.ts';
import { WatchFolders } from './watch-folders.ts';

export interface WatchOrder extends Omit<PoolOrder, 'takes' | 'whole' | 'endless' | 'looked' | 'lookEveryMs' | 'most'> {
	readonly root: string;
	/** Ends when nothing is left to do. */
	readonly once: boolean;
	readonly now: () => number;
	/** The kernel refuses more watches. */
	readonly full: () => void;
	readonly rescanMs?: number;
}

/** Runs packets as they are dropped: pending ones, those whose run died and those that a queue's limit cut short, once their manifest is whole. */
export async function watchQueue(order: WatchOrder): Promise<PoolEnd> {
	const moving = new Map<string, NodeJS.Timeout>();
	const lookAgain = (id: string, afterMs: number) => {
		if (moving.has(id)) return;
		moving.set(
			id,
			setTimeout(() => {
				moving.delete(id);
				pool.poke(id);
			}, afterMs),
		);
	};
	const whole = (entry: PacketEntry, wrong: boolean) => {
		const names = packetNames(order.root, entry.id);
		const now = order.now();
		// Clocks of disks differ from ours: what seems to come from the future is taken to be now.
		const quietMs = now - Math.min(now, quietSince(names, now));
		const neededMs = wrong ? wrongMs : readTail(names.manifest, 1) === '\n' ? wholeMs : cutOffMs;
		if (quietMs >= neededMs) return true;
		lookAgain(entry.id, Math.max(10, neededMs - quietMs));
		return false;
	};
	const pool = new Pool({
		...order,
		takes: takenByWatch,
		whole,
		endless: !order.once,
		lookEveryMs: order.once ? 500 : (order.rescanMs ?? 30_000),
		looked: (entries) => folders?.sync((id) => isFinished(entries.get(id))),
		waits: () => moving.size > 0,
	});
	const folders = order.once
		? null
		: new WatchFolders(order.root, { packet: (id) => pool.poke(id), anything: () => pool.poke(), full: order.full });
	try {
		return await pool.work();
	} finally {
		folders?.close();
		for (const timer of moving.values()) clearTimeout(timer);
	}
}

/** A manifest that is valid and still: long enough for a program that writes in pieces. */
const wholeMs = 80;
/** Without a newline at its end it may be cut off, and valid by chance. */
const cutOffMs = 500;
/** What is wrong may be half-written, or its dependency on the way. */
const wrongMs = 1000;

const takenByWatch = (entry: PacketEntry, wrong: boolean): boolean => (wrong ? toBeTold(entry) : isLeft(entry));

/** Nothing that is done to its manifest makes such a packet ours. */
const isFinished = (entry: PacketEntry | undefined): boolean =>
	entry !== undefined && (entry.status === 'completed' || entry.status === 'failed' || entry.status === 'needs_human');
