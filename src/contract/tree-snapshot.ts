import { z } from 'zod';

/**
 * What a work tree looked like at one moment, as far as it differs from its last commit. Kept as `tree.json` in the attempt, so that a
 * dispatcher that comes later can still compare. Lists and not maps: a file may be called `__proto__`.
 */
const Content = z.object({
	path: z.string(),
	/** `file:…`, `link:…`, `commit:…` (a repository inside), `none`. Equal text, equal content. */
	content: z.string(),
	/** Where a symlink leads, relative to the workspace. */
	target: z.string().nullable(),
});

const Entry = Content.extend({
	/** The two letters of `git status`; `??` untracked; `h` or `S`: git was told not to look at this file. */
	xy: z.string(),
	/** Mode and object in the index; null where it has none. */
	staged: z.string().nullable(),
});
export type TreeEntry = z.infer<typeof Entry>;

const Repository = z.object({
	/** Null before the first commit. */
	head: z.string().nullable(),
	branch: z.string().nullable(),
	entries: z.array(Entry),
});

export const TreeSnapshot = Repository.extend({
	schema: z.literal(1),
	/** The whole work tree as a git tree; null where nobody asked for it. */
	tree: z.string().nullable(),
	/** Files that git ignores and `scope.deny` names. */
	ignored: z.array(Content),
	/** Files outside git's sight that must not change (manifests), and what makes git run programs or look away (hooks, config, excludes). */
	guarded: z.array(Content),
	/** Submodules that differ from what is recorded, and repositories that lie in the tree without being submodules. */
	inside: z.array(Repository.extend({ path: z.string() })),
});
export type TreeSnapshot = z.infer<typeof TreeSnapshot>;
