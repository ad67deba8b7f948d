import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PacketNames } from '../packet/names.ts';

/**
 * When something last moved in what a user puts into a packet: manifest and inputs. Goes by the time of the inode's last change, which a
 * copy that keeps old dates cannot hide. A file that is being copied under a temporary name counts as moving now.
 */
export function quietSince(names: PacketNames, now: number): number {
	const seen = { last: changedAt(names.manifest) ?? now, files: 0 };
	const here = entriesOf(names.dir);
	if (here.some((entry) => isArriving(join(names.dir, entry.name), entry.name, now))) return now;
	return here.some((entry) => entry.name === 'inputs' && entry.isDirectory())
		? quietInside(names.inputs, names.prompts, now, seen)
		: seen.last;
}

function quietInside(dir: string, except: string, now: number, seen: { last: number; files: number }): number {
	seen.last = Math.max(seen.last, changedAt(dir) ?? now);
	for (const entry of entriesOf(dir)) {
		const path = join(dir, entry.name);
		if (path === except || ++seen.files > mostFiles) continue;
		if (isArriving(path, entry.name, now)) return now;
		if (entry.isDirectory()) quietInside(path, except, now, seen);
		else seen.last = Math.max(seen.last, changedAt(path) ?? now);
	}
	return seen.last;
}

/** `.manifest.yaml.Ab12Cd` is what rsync writes before it renames. One that nobody touched for a minute was left behind. */
const isArriving = (path: string, name: string, now: number): boolean =>
	(/^\..+\.[A-Za-z0-9]{6}$/.test(name) || name === '.~tmp~') && now - (changedAt(path) ?? 0) < 60_000;

const changedAt = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? null;

function entriesOf(dir: string) {
	try {
		return readdirSync(dir, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** Attachments beyond this many are not waited for. */
const mostFiles = 500;
