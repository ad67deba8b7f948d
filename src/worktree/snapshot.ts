import { realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { TreeEntry, TreeSnapshot } from '../contract/tree-snapshot.ts';
import { contentOf, isBig, noContent } from './content.ts';
import { git } from './git.ts';
import { guardedFiles } from './guarded.ts';
import { hiddenFiles } from './hidden.ts';
import { ignoredFiles } from './ignored.ts';
import { type Imprint, imprintOf, sameImprint, wouldShow } from './imprint.ts';
import { fromPrefix, isOurs, pathText } from './path-text.ts';
import { type Repository, repositoryOf } from './repository.ts';
import { parseStatus, type StatusEntry, statusArgs } from './status.ts';
import { type Dirty, writeTree } from './write-tree.ts';

export interface SnapshotOrder {
	/** The workspace. */
	readonly dir: string;
	/** Whether `scope.deny` names a path; null if nothing is denied, which spares a walk. */
	readonly denied: ((path: string) => boolean) | null;
	/** Absolute paths of files that must not change though git does not see them, such as manifests. */
	readonly guard: readonly string[];
	/** A directory for a temporary index: the whole tree is kept too, so that a patch can be made. Null for readers. */
	readonly scratch: string | null;
}

/** The work tree as it is now; null outside git. A git that fails is a failure, never an empty list. */
export async function takeSnapshot(order: SnapshotOrder): Promise<Outcome<TreeSnapshot | null, string>> {
	const repo = repositoryOf(order.dir);
	if (repo === null) return pass(null);
	const [seen, ignored] = await Promise.all([
		sharedLook(repo),
		order.denied === null ? pass<TreeSnapshot['ignored']>([]) : ignoredFiles(repo, order.denied),
	]);
	if (!seen.ok) return seen;
	if (!ignored.ok) return ignored;
	const { head, branch, entries, inside, dirty } = seen.value;
	const tree = order.scratch === null ? pass(null) : await writeTree(repo, { head, dirty, scratch: order.scratch });
	if (!tree.ok) return tree;
	return pass({
		schema: 1,
		head,
		branch,
		tree: tree.value,
		entries,
		ignored: ignored.value,
		guarded: guardedFiles(repo, order.guard),
		inside,
	});
}

/** Looks at a tree for whoever will ask soon. What goes wrong is his to find out. */
export function glance(dir: string): void {
	const repo = repositoryOf(dir);
	if (repo !== null) void sharedLook(repo).catch(() => undefined);
}

interface Seen {
	readonly head: string | null;
	readonly branch: string | null;
	readonly entries: TreeEntry[];
	readonly inside: TreeSnapshot['inside'];
	readonly dirty: readonly Dirty[];
	readonly ignored: ReadonlySet<string>;
}

/** Past so many dirty files the rest is recognised by size and times: somebody forgot to ignore a directory. */
const mostHashedFiles = 2000;
const deepest = 8;

/** What git said of a tree, by its directory, as long as the tree's imprint is the same; the oldest goes first. */
const known = new Map<string, { readonly seen: Seen; readonly imprint: Imprint }>();
const mostKnown = 16;

/** Looks at one tree, by its directory: the one under way, and the one that begins when that ends. */
const looks = new Map<string, { readonly running: Promise<unknown>; next: Promise<Outcome<Seen, string>> | null }>();

/**
 * Many packets that work in one tree ask for a look at the same time. Whoever asks while one is under way waits for the next, which
 * begins after he asked, and shares it with all others who wait.
 */
function sharedLook(repo: Repository): Promise<Outcome<Seen, string>> {
	const current = looks.get(repo.dir);
	if (current === undefined) return lookUnlessKnown(repo);
	current.next ??= current.running.then(() => lookUnlessKnown(repo));
	return current.next;
}

function lookUnlessKnown(repo: Repository): Promise<Outcome<Seen, string>> {
	const still = stillAsKnown(repo);
	return still === null ? beginLook(repo) : Promise.resolve(pass(still));
}

function stillAsKnown(repo: Repository): Seen | null {
	const last = known.get(repo.dir);
	const now = last === undefined ? null : imprintOf(repo, (path) => last.seen.ignored.has(path));
	return last !== undefined && now !== null && sameImprint(last.imprint, now) ? last.seen : null;
}

async function lookAndRemember(repo: Repository): Promise<Outcome<Seen, string>> {
	const beganMs = Date.now();
	known.delete(repo.dir);
	const found = await look(repo, 0);
	if (!found.ok) return found;
	const imprint = imprintOf(repo, (path) => found.value.ignored.has(path));
	// What changed while git looked has a time after it began.
	if (imprint === null || !wouldShow(imprint, beganMs)) return found;
	const [oldest] = known.keys();
	if (oldest !== undefined && known.size >= mostKnown) known.delete(oldest);
	known.set(repo.dir, { seen: found.value, imprint });
	return found;
}

function beginLook(repo: Repository): Promise<Outcome<Seen, string>> {
	const found = lookAndRemember(repo);
	const entry = { running: found.catch(() => undefined), next: null };
	looks.set(repo.dir, entry);
	void entry.running.then(() => {
		if (looks.get(repo.dir) === entry) looks.delete(repo.dir);
	});
	return found;
}

async function look(repo: Repository, depth: number): Promise<Outcome<Seen, string>> {
	const [status, hidden] = await Promise.all([git(repo.top, statusArgs), hiddenFiles(repo)]);
	if (!status.ok) return status;
	if (!hidden.ok) return hidden;
	const { head, branch, entries: listed, ignored } = parseStatus(status.value);
	const seen: Seen & { dirty: Dirty[] } = { head, branch, entries: [], inside: [], dirty: [], ignored };
	const flagged = hidden.value.map(({ raw, flag }): StatusEntry => ({ raw, xy: flag, staged: null, repository: null }));
	for (const [count, entry] of [...listed, ...flagged].entries()) {
		const path = fromPrefix(repo.prefix, pathText(entry.raw));
		if (depth === 0 && isOurs(path)) continue;
		const place = Buffer.concat([Buffer.from(`${repo.top}/`), entry.raw]);
		if (entry.repository !== null && depth < deepest) {
			const within = await lookInside(repo, { entry, path, place: place.toString(), depth });
			if (!within.ok) return within;
			if (within.value !== null) {
				seen.inside.push(...within.value.inside);
				if (within.value.moved !== null) seen.entries.push(within.value.moved);
				if (within.value.moved !== null && entry.xy !== '??') seen.dirty.push({ raw: entry.raw, gone: false });
				continue;
			}
		}
		const there = contentOf(place, repo.dir, count < mostHashedFiles);
		const file = there.content !== 'none' && entry.xy.includes('D') && isBeyondLink(repo.top, place) ? noContent : there;
		seen.entries.push({ path, xy: entry.xy, staged: entry.staged, content: file.content, target: file.target });
		const inTree = entry.xy.length === 2 && entry.repository === null && !isBig(file);
		if (inTree && !file.content.startsWith('special:')) seen.dirty.push({ raw: entry.raw, gone: file.content === 'none' });
		// Other stages are being followed meanwhile.
		if (count % 64 === 63) await new Promise((resume) => setImmediate(resume));
	}
	return pass(seen);
}

/** Where a directory became a link, its files are gone; through the link they may be found elsewhere. */
function isBeyondLink(top: string, place: Buffer): boolean {
	try {
		const dir = dirname(place.toString());
		return realpathSync(dir) !== join(realpathSync(top), relative(top, dir));
	} catch {
		return false;
	}
}

interface Within {
	readonly inside: TreeSnapshot['inside'];
	/** The repository's own entry: only where it stands at another commit than recorded, or is not recorded at all. */
	readonly moved: TreeEntry | null;
}

/** git shows a repository in the tree as one line; what is dirty within must be looked for there. Null: it is gone or none any more. */
async function lookInside(
	repo: Repository,
	at: { entry: StatusEntry; path: string; place: string; depth: number },
): Promise<Outcome<Within | null, string>> {
	const { entry, path, place } = at;
	const inner = repositoryOf(place);
	if (inner === null || inner.prefix !== '' || inner.top === repo.top) return pass(null);
	const seen = await look({ ...inner, dir: inner.top }, at.depth + 1);
	if (!seen.ok) return fail(`${path}: ${seen.failures[0]}`);
	const { head, branch, entries, inside } = seen.value;
	const moved = entry.repository === 'R' || !entry.xy.startsWith('.') || entry.repository?.charAt(1) === 'C';
	const own: TreeEntry = { path, xy: entry.xy, staged: entry.staged, content: `commit:${head ?? 'none yet'}`, target: null };
	const below = inside.map((one) => ({ ...one, path: `${path}/${one.path}` }));
	return pass({ inside: [{ path, head, branch, entries: entries.map((one) => outward(one, path)) }, ...below], moved: moved ? own : null });
}

/** A link's target was found relative to the inner repository; the workspace is what counts. */
const outward = (entry: TreeEntry, path: string): TreeEntry =>
	entry.target === null ? entry : { ...entry, target: `${path}/${entry.target}` };
