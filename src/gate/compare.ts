import type { TreeChange } from '../contract/evidence.ts';
import type { TreeEntry, TreeSnapshot } from '../contract/tree-snapshot.ts';

type Content = TreeSnapshot['guarded'][number];
type Repository = Pick<TreeSnapshot, 'head' | 'entries'>;

/**
 * What happened to the work tree between two moments: files that are dirty in another way than before, commits made in between
 * (`committed`, which only git can tell), ignored files that are watched, and what may never change. Sorted by path, one change a path.
 */
export function changesBetween(before: TreeSnapshot, after: TreeSnapshot, committed: readonly TreeChange[] = []): TreeChange[] {
	const found = new Map<string, TreeChange>();
	const note = (change: TreeChange) => {
		// What cannot be excused comes last and stays; a symlink's target is never forgotten.
		const known = found.get(change.path);
		found.set(change.path, { ...known, ...change, target: change.target ?? known?.target ?? null });
	};
	for (const change of committed) note(change);
	for (const change of ignoredChanges(before, after)) note({ ...change, ignored: true });
	for (const change of entryChanges(before, after, before.ignored, after.ignored)) note({ ...change, ignored: false });
	for (const change of insideChanges(before, after)) note(change);
	for (const change of contentChanges(before.guarded, after.guarded)) note({ ...change, protected: true });
	return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file that was ignored and is now seen is compared as what it is now, and the other way round. */
function ignoredChanges(before: TreeSnapshot, after: TreeSnapshot): TreeChange[] {
	const seenNow = byPath(after.entries);
	const seenThen = before.entries.filter((entry) => entry.xy === '??');
	return contentChanges(
		before.ignored.filter((file) => !seenNow.has(file.path)),
		after.ignored,
		[...seenThen, ...before.ignored],
	);
}

function entryChanges(
	before: Repository,
	after: Repository,
	wasIgnored: readonly Content[] = [],
	isIgnored: readonly Content[] = [],
): TreeChange[] {
	const old = byPath(before.entries);
	const ignoredThen = byPath(wasIgnored);
	const ignoredNow = byPath(isIgnored);
	const changes: TreeChange[] = [];
	for (const now of after.entries) {
		const then = old.get(now.path);
		old.delete(now.path);
		if (then !== undefined) {
			if (then.content !== now.content) changes.push({ path: now.path, kind: kindOf(then.content, now.content), target: now.target });
			else if (restaged(then, now)) changes.push({ path: now.path, kind: 'modified', target: now.target });
		} else if (ignoredThen.get(now.path)?.content !== now.content) {
			changes.push({ path: now.path, kind: kindOfNew(now), target: now.target });
		}
	}
	// Dirty before and clean now: put back, stashed, committed or removed.
	for (const then of old.values()) {
		if (!ignoredNow.has(then.path)) changes.push({ path: then.path, kind: kindOfGone(then), target: null });
	}
	return changes;
}

/** Staging a file as it stands changes nothing that anybody wrote; anything else in the index would be committed later unseen. */
function restaged(then: TreeEntry, now: TreeEntry): boolean {
	if (then.staged === now.staged) return false;
	const hadStaged = then.xy !== '??' && !then.xy.startsWith('.');
	return hadStaged || !now.xy.endsWith('.');
}

function contentChanges(before: readonly Content[], after: readonly Content[], known: readonly Content[] = before): TreeChange[] {
	const old = byPath(known);
	const changes: TreeChange[] = [];
	for (const now of after) {
		const then = old.get(now.path)?.content ?? 'none';
		if (then !== now.content) changes.push({ path: now.path, kind: kindOf(then, now.content), target: now.target });
	}
	const left = byPath(after);
	for (const then of before) {
		if (then.content !== 'none' && !left.has(then.path)) changes.push({ path: then.path, kind: 'deleted', target: null });
	}
	return changes;
}

/** Repositories inside: one that is listed only once was clean (a submodule) or absent at the other moment. */
function insideChanges(before: TreeSnapshot, after: TreeSnapshot): TreeChange[] {
	const old = byPath(before.inside);
	const now = byPath(after.inside);
	return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
		const clean: Repository = { head: null, entries: [] };
		const changes = entryChanges(old.get(path) ?? clean, now.get(path) ?? clean);
		return changes.map((change) => ({ ...change, path: `${path}/${change.path}` }));
	});
}

const byPath = <T extends { readonly path: string }>(list: readonly T[]) => new Map(list.map((item) => [item.path, item]));

function kindOf(then: string, now: string): TreeChange['kind'] {
	if (now === 'none') return 'deleted';
	return then === 'none' ? 'added' : 'modified';
}

function kindOfNew({ xy, content }: TreeEntry): TreeChange['kind'] {
	if (content === 'none') return 'deleted';
	return xy === '??' || xy.includes('A') ? 'added' : 'modified';
}

function kindOfGone({ xy, content }: TreeEntry): TreeChange['kind'] {
	if (content === 'none') return 'added';
	return xy === '??' ? 'deleted' : 'modified';
}
