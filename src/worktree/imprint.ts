import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.ts';

/**
 * What the kernel says about all that `git status` looks at: inode and time of last change (ctime) of each directory and file, and of
 * the few files of git that hold its own state. A ctime cannot be set back, so as long as the imprint is the same, the tree is.
 */
export interface Imprint {
	readonly marks: readonly number[];
	readonly newestMs: number;
}

/** Larger trees are left to git, which looks at them with more than one thread. */
const mostEntries = 1000;

/** Null where it would not tell enough: a tree that is large, repositories within it, names that are no text. */
export function imprintOf(repo: Repository, isIgnored: (path: string) => boolean): Imprint | null {
	const marks: number[] = [];
	let newestMs = 0;
	const mark = (path: string) => {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		marks.push(stat?.ino ?? 0, stat?.ctimeMs ?? 0);
		newestMs = Math.max(newestMs, stat?.ctimeMs ?? 0);
		return stat;
	};
	const ours = join(repo.dir, '.tmp');
	const walk = (dir: string, below: string): boolean =>
		readdirSync(dir).every((name) => {
			const path = join(dir, name);
			if (name === '.git') return below === '';
			if (path === ours || isIgnored(below + name)) return true;
			if (marks.length >= 2 * mostEntries || name.includes('\ufffd')) return false;
			return !mark(path)?.isDirectory() || walk(path, `${below}${name}/`);
		});
	try {
		mark(repo.top);
		for (const file of stateFiles(repo)) mark(file);
		const isReftable = mark(join(repo.commonDir, 'reftable')) !== undefined;
		return !isReftable && walk(repo.top, '') ? { marks, newestMs } : null;
	} catch {
		return null;
	}
}

/** Where HEAD points, and what is staged. */
function stateFiles({ gitDir, commonDir }: Repository): string[] {
	const ref = /^ref: (.+)$/m.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
	return [join(gitDir, 'HEAD'), join(gitDir, 'index'), join(commonDir, 'packed-refs'), join(commonDir, ref ?? 'HEAD')];
}

export const sameImprint = (a: Imprint, b: Imprint): boolean =>
	a.marks.length === b.marks.length && a.marks.every((value, at) => value === b.marks[at]);

/**
 * Whether a change after that moment must show. Times of files are those of the clock's last tick, up to 10 ms ago; where they come in
 * whole seconds only, those of the last second.
 */
export const wouldShow = ({ newestMs }: Pick<Imprint, 'newestMs'>, afterMs: number): boolean =>
	newestMs < afterMs - (newestMs % 1000 === 0 ? 2000 : 25);
