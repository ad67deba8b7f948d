import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attemptsOnDisk } from './attempts.ts';
import { ensureDir, remove } from './disk.ts';
import { attemptTmp, cacheDir, guardsDir, type PacketNames, tasksDir, worktreeDir } from './names.ts';

/** Directories a run writes into. A symbolic link in place of one would lead our writes out of the packet. */
export function linkInTheWay(names: PacketNames): string | null {
	for (const dir of [...sharedDirs(names.root), names.dir, ...writtenDirs(names), ...linksAmongAttempts(names)]) {
		const stat = lstatSync(dir, { throwIfNoEntry: false });
		if (stat !== undefined && !stat.isDirectory()) return dir;
	}
	return null;
}

export function makeLayout(names: PacketNames): void {
	for (const dir of writtenDirs(names)) ensureDir(dir);
}

/** What a run that died left half-written was never believed and is removed by the next owner. */
export function removeLeftovers(names: PacketNames): void {
	for (const dir of [...writtenDirs(names), ...attemptDirs(names)]) {
		for (const entry of entriesOf(dir)) if (isDraft(entry) || (dir === names.state && isScratchIndex(entry))) remove(join(dir, entry));
	}
}

/** Not a lock's draft: its owner may be another run that is just asking for the lock. And no file of a servant's own. */
const isDraft = (entry: string): boolean => /^(\..+\.[0-9a-f]{12}|patch\.\d+)\.tmp$/.test(entry) && !entry.startsWith('.lock.');

const isScratchIndex = (entry: string): boolean => /^index-\d+-[0-9a-z]+(\.lock)?$/.test(entry);

function attemptDirs(names: PacketNames): string[] {
	return entriesOf(names.attempts).flatMap((stage) =>
		attemptsOnDisk(names, stage).flatMap((n) => [names.attempt(stage, n).dir, names.attempt(stage, n).scratch]),
	);
}

function entriesOf(dir: string): string[] {
	try {
		return readdirSync(dir);
	} catch {
		return [];
	}
}

function writtenDirs(names: PacketNames): string[] {
	return [names.inputs, names.prompts, names.outputs, names.attempts, names.state, names.done];
}

const sharedDirs = (root: string): string[] => [
	tasksDir(root),
	guardsDir(root),
	cacheDir(root),
	dirname(attemptTmp(root, 'x')),
	dirname(worktreeDir(root, 'x')),
];

/** Stages and attempts that are links. */
function linksAmongAttempts({ attempts }: PacketNames): string[] {
	const within = (dir: string) => entriesOf(dir).map((entry) => join(dir, entry));
	const stages = within(attempts);
	return [...stages, ...stages.flatMap(within)].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
}
