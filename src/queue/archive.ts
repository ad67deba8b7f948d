import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { Workspace } from '../contract/state-files.ts';
import { attempt, DiskTrouble, ensureDir, remove, removeTree, sync } from '../packet/disk.ts';
import { linkInTheWay } from '../packet/layout.ts';
import { acquireLock, type Lock } from '../packet/lock.ts';
import { archiveDir, packetNames, tasksDir } from '../packet/names.ts';
import { readJson } from '../packet/read.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { removeWorktree } from '../worktree/branch.ts';
import { branchOf, worktreePath } from '../worktree/worktree.ts';
import { entryOf, type PacketEntry } from './packet-index.ts';

export interface ArchiveOrder {
	readonly root: string;
	readonly id: string;
	/** Remove the packet altogether instead of putting it away. */
	readonly delete: boolean;
	/** All packets, to see who still needs this one. */
	readonly entries: readonly PacketEntry[];
	readonly now: string;
}

export interface InTheWay {
	readonly kind: 'locked' | 'in_the_way';
	readonly message: string;
}

/** Puts a finished packet away, with its worktree if that is clean and merged; or says everything that is in the way and touches nothing. */
export async function archivePacket(order: ArchiveOrder): Promise<Outcome<{ readonly to: string | null }, InTheWay>> {
	const { root, id } = order;
	const names = packetNames(root, id);
	const obstacles = [...standingInTheWay(entryOf(root, id), id), ...dependentsInTheWay(order), ...placeInTheWay(order)];
	if (obstacles.length > 0) return refusal(obstacles);
	try {
		const taken = acquireLock({
			file: names.lock,
			self: ownIdentity(),
			command: 'dispatch archive',
			now: order.now,
			liveness: sameProcessAlive,
		});
		if (!taken.ok) return fail({ kind: 'locked', message: `${id} is locked by process ${taken.failures[0].owner?.pid ?? '?'}` });
		return await underLock(order, taken.value);
	} catch (error) {
		if (error instanceof DiskTrouble) return refusal([error.message]);
		throw error;
	}
}

async function underLock(order: ArchiveOrder, lock: Lock): Promise<Outcome<{ readonly to: string | null }, InTheWay>> {
	const { root, id } = order;
	let moved = false;
	try {
		// It may have run between the first look and the lock.
		const standing = standingInTheWay(entryOf(root, id), id);
		if (standing.length > 0) return refusal(standing);
		const cleared = await clearWorktree(root, id);
		if (!cleared.ok) return refusal(cleared.failures.map((reason) => `${id}: ${reason}`));
		lock.check();
		const place = await moveAway(root, id, order.delete ? `.deleting-${id}` : id);
		moved = true;
		if (order.delete) removeTree(place);
		// The lock went along with the packet.
		else remove(packetNames(root, id, place).lock);
		return pass({ to: order.delete ? null : `.tmp/archive/${id}` });
	} finally {
		if (!moved) lock.release();
	}
}

function standingInTheWay(entry: PacketEntry | null, id: string): string[] {
	if (entry === null || entry.archived) return [`there is no packet ${id} in .tmp/task`];
	switch (entry.status) {
		case 'completed':
		case 'failed':
		case 'needs_human':
			return [];
		case 'in_progress':
			return [`${id} is running`];
		case 'interrupted':
			return [`${id} was interrupted and is not finished; dispatch run ${id} continues it`];
		case 'pending':
			return [`${id} has not run yet`];
		case 'invalid':
			return [`${id} is invalid and has not finished; dispatch validate ${id} says why`];
	}
}

function dependentsInTheWay({ id, entries }: ArchiveOrder): string[] {
	return entries
		.filter((entry) => !entry.archived && entry.status !== 'completed' && entry.dependsOn.includes(id))
		.map((entry) => `${entry.id} (${entry.status}) depends on ${id}`);
}

function placeInTheWay({ root, id, delete: forGood }: ArchiveOrder): string[] {
	const link = [join(root, '.tmp'), tasksDir(root), archiveDir(root)].find(isLink) ?? linkInTheWay(packetNames(root, id));
	if (link !== null) return [`${link} is a symbolic link or no directory; a packet is not moved through one`];
	if (forGood || lstatSync(join(archiveDir(root), id), { throwIfNoEntry: false }) === undefined) return [];
	return [`.tmp/archive/${id} exists already; move it away, or dispatch archive ${id} --delete`];
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Only the packet's own worktree: one that it shares belongs to the packet it continues. */
async function clearWorktree(root: string, id: string): Promise<Outcome<void, string>> {
	const facts = readJson(packetNames(root, id).workspace, Workspace);
	if (facts?.mode !== 'worktree' || facts.branch !== branchOf(id)) return pass(undefined);
	return removeWorktree({ root, path: join(root, worktreePath(id)), branch: facts.branch });
}

/** One rename, so that the packet is seen here or there, whole; what is deleted is first taken out of sight. */
export async function moveAway(root: string, id: string, name: string, from: string = join(tasksDir(root), id)): Promise<string> {
	const place = join(archiveDir(root), name);
	ensureDir(archiveDir(root));
	if (name !== id) removeTree(place);
	attempt('moving', from, () => renameSync(from, place));
	await sync([archiveDir(root), join(from, '..')]);
	return place;
}

const refusal = (messages: readonly string[]): Outcome<never, InTheWay> => {
	const [first, ...rest] = messages.map((message): InTheWay => ({ kind: 'in_the_way', message }));
	return fail(first!, ...rest);
};
