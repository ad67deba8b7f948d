import { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { readJson } from '../packet/read.ts';
import type { RunContext } from './run-context.ts';

const mostNamed = 3;

/**
 * What to do before merging, where a person mended something in the worktree and did not commit it: the checks have passed what the
 * branch does not hold. Only a packet that ran before can have been mended; null if nothing is left.
 */
export async function uncommittedWord(ctx: RunContext): Promise<string | null> {
	const { mode, branch, path } = ctx.workspace.facts;
	const writers = ctx.plan.stages.filter((stage) => stage.access === 'write');
	if (mode !== 'worktree' || branch === null || writers.length === 0 || ctx.journal.state.runs < 2) return null;
	const now = await ctx.tree.atStart('read');
	if (!now.ok || now.value === null) return null;
	const before = new Map(writers.flatMap(({ name }) => foundBy(ctx, name)));
	const left = now.value.entries.filter((entry) => before.get(entry.path) !== entry.content);
	if (left.length === 0) return null;
	const named = left.slice(0, mostNamed).map((entry) => entry.path);
	const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : '';
	return `commit: commit what is not committed in ${path} (${named.join(', ')}${more}), then git merge ${branch}`;
}

/** Path and content of what lay there before the stage first began: `worktree_setup` left it, and it is not to be merged. */
function foundBy({ names }: RunContext, stage: string): [path: string, content: string][] {
	const tree = readJson(names.attempt(stage, 1).tree, TreeSnapshot);
	return (tree?.entries ?? []).map(({ path, content }) => [path, content]);
}
