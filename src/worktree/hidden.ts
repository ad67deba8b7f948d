import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, pass } from '../contract/outcome.ts';
import { git, records } from './git.ts';
import type { Repository } from './repository.ts';

export interface HiddenFile {
	readonly raw: Buffer;
	/** `h`: assume-unchanged, `S`: skip-worktree. */
	readonly flag: 'h' | 'S';
}

/**
 * Files that git was told not to look at (`update-index --assume-unchanged`, `--skip-worktree`): `git status` is silent about them
 * whatever is written there. The index is read directly, as that takes no process; in a form we do not know, git is asked.
 */
export async function hiddenFiles(repo: Repository): Promise<Outcome<HiddenFile[], string>> {
	let index: Buffer;
	try {
		index = readFileSync(join(repo.gitDir, 'index'));
	} catch {
		return pass([]);
	}
	const read = readFlags(index);
	return read === null ? askGit(repo) : pass(read);
}

/**
 * Versions 2 and 3, SHA-1: 12 bytes of header; per entry 40 bytes of stat, 20 of object id, 2 of flags (2 more if extended), the name,
 * and one to eight NULs up to a multiple of eight.
 */
function readFlags(index: Buffer): HiddenFile[] | null {
	if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) > 3) return null;
	const found: HiddenFile[] = [];
	let at = 12;
	for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
		if (at + 63 > index.length || !knownModes.has(index.readUInt32BE(at + 24))) return null;
		const flags = index.readUInt16BE(at + 60);
		const extended = (flags & 0x4000) !== 0;
		const name = at + (extended ? 64 : 62);
		const end = (flags & 0xfff) === 0xfff ? index.indexOf(0, name) : name + (flags & 0xfff);
		if (end < name || index[end] !== 0) return null;
		if (extended && (index.readUInt16BE(at + 62) & 0x4000) !== 0) found.push({ raw: index.subarray(name, end), flag: 'S' });
		else if ((flags & 0x8000) !== 0) found.push({ raw: index.subarray(name, end), flag: 'h' });
		at += (end - at + 8) & ~7;
	}
	// A split index keeps most of its entries in another file.
	return index.toString('latin1', at, at + 4) === 'link' ? null : found;
}

/** Anything else in this place means that we misread the format (SHA-256, a sparse index). */
const knownModes = new Set([0o100644, 0o100755, 0o100664, 0o120000, 0o160000]);

async function askGit(repo: Repository): Promise<Outcome<HiddenFile[], string>> {
	const listed = await git(repo.top, ['ls-files', '-v', '-z']);
	if (!listed.ok) return listed;
	return pass(
		records(listed.value).flatMap((line) => {
			const tag = String.fromCharCode(line[0] ?? 0);
			const flag = tag === 'S' || tag === 's' ? 'S' : /[a-z]/.test(tag) ? 'h' : null;
			return flag === null ? [] : [{ raw: line.subarray(2), flag }];
		}),
	);
}
