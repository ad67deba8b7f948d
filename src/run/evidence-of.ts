import { z } from 'zod';
import type { AcceptanceResult, DiffCheck, Evidence } from '../contract/evidence.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { changesBetween } from '../gate/compare.ts';
import { outOfScope } from '../gate/scope.ts';
import { extractDiff } from '../gate/unified-diff.ts';
import { readHeadAndTail, readJson, readTail, readText } from '../packet/read.ts';
import { applyDiff } from '../worktree/apply-diff.ts';
import { committedBetween } from '../worktree/committed.ts';
import type { Attempt } from './attempt.ts';
import { withoutLater } from './changed-later.ts';
import type { Ended } from './follow-attempt.ts';
import type { TreeNow } from './guarded-tree.ts';
import { withoutOwnOutput } from './own-output.ts';
import type { RunContext } from './run-context.ts';

const MiB = 1024 * 1024;

export interface Gathered {
	readonly evidence: Evidence;
	readonly before: TreeSnapshot | null;
	readonly tree: TreeNow;
}

/** Everything the gate may look at: the servant's end, its answer, and what became of the work tree. */
export async function evidenceOf(ctx: RunContext, attempt: Attempt, ended: Ended): Promise<Outcome<Gathered, string>> {
	const { stage, names, reserved, invocation } = attempt;
	const role = ctx.roles.roles[reserved.role]!;
	const answer = invocation.output === 'text' ? textAnswer(names.out, ended.stdout.bytes) : ended.progress.text;
	const found = treesFound(ctx, attempt);
	if (!found.ok) return found;
	const { first: before, sincePassed, own } = found.value;
	const scope = { allow: ctx.manifest.scope?.allow ?? [], deny: ctx.manifest.scope?.deny ?? [] };
	let tree = await ctx.tree.since(before, stage.access);
	if (!tree.ok) return tree;
	let diff: DiffCheck = { kind: 'none' };
	const good = ended.ending === null && !ended.lost && ended.record.exitCode === 0;
	if (good && before !== null && (role.demands === 'change' || role.demands === 'proposal')) {
		const done = await changesSince(ctx, own, { since: before, tree: tree.value });
		if (!done.ok) return done;
		const untouched = role.demands === 'change' && done.value?.length === 0;
		diff = await tryDiff(ctx, answer, untouched ? scope : null);
		if (untouched && diff.kind === 'applies') tree = await ctx.tree.since(before, stage.access);
		if (!tree.ok) return tree;
	}
	const work = await changesSince(ctx, sincePassed, { since: before, tree: tree.value });
	if (!work.ok) return work;
	const evidence: Evidence = {
		stage: reserved.stage,
		tool: reserved.provider,
		role,
		roleName: reserved.role,
		output: invocation.output,
		exitCode: ended.record.exitCode,
		signal: ended.record.signal,
		ending: ended.ending,
		maxSteps: reserved.max_steps,
		lost: ended.lost,
		progress: ended.progress,
		answer,
		stderr: readTail(names.err, 256 * 1024),
		token: reserved.token,
		prompt: good && (invocation.output === 'text' || ended.progress.final === 'success') ? '' : (readText(names.prompt) ?? ''),
		noise: attempt.servant.noise ?? [],
		changes: tree.value.changes && (ended.unseen ? withoutLater(ctx.workspace.dir, tree.value.changes, names.record) : tree.value.changes),
		work: work.value,
		scope,
		acceptance: (readJson(names.acceptance, z.array(z.any())) ?? []) as AcceptanceResult[],
		diff,
		failOnHigh: ctx.plan.options.fail_on === 'high' && isLastReview(ctx, reserved.stage),
		now: ctx.now().toISOString(),
	};
	return pass({ evidence, before, tree: tree.value });
}

/** The work tree as this attempt found it, as the first one did since the stage last passed, and as the very first did. */
interface Found {
	readonly own: TreeSnapshot | null;
	readonly sincePassed: TreeSnapshot | null;
	readonly first: TreeSnapshot | null;
}

/**
 * A writer answers for all its attempts: what an earlier one left outside the scope, or did well before it was stopped, is part of what
 * this stage changed. What one did that passed is no excuse for the next to do nothing. What must not change at all is compared within
 * this attempt only: the user may have raised a budget in between.
 */
function treesFound(ctx: RunContext, { stage, names, reserved, tree }: Attempt): Outcome<Found, string> {
	const kept = tree === undefined ? treeIn(names.tree) : pass(tree);
	if (!kept.ok) return kept;
	const own = kept.value;
	if (own === null || stage.access === 'read') return pass({ own, sincePassed: own, first: own });
	const foundFrom = (from: number): TreeSnapshot => {
		for (let n = from; n < reserved.attempt; n++) {
			const earlier = treeIn(ctx.names.attempt(reserved.stage, n).tree);
			if (earlier.ok && earlier.value !== null && earlier.value.tree !== null) {
				return { ...earlier.value, guarded: own.guarded, ignored: own.ignored };
			}
		}
		return own;
	};
	const from = ctx.firstAttempt(reserved.stage);
	const first = foundFrom(from);
	const passed = lastPassed(ctx, reserved.stage);
	return pass({ own, sincePassed: passed < from ? first : foundFrom(passed + 1), first });
}

/** The number of a stage's last attempt that passed, 0 if none did. */
const lastPassed = (ctx: RunContext, stage: string): number =>
	ctx.journal.state.metas.findLast((meta) => meta.stage === stage && meta.outcome === 'passed')?.attempt ?? 0;

/** What changed after one of the looks, where `tree` tells what changed `since` another. */
async function changesSince(
	ctx: RunContext,
	before: TreeSnapshot | null,
	{ since, tree }: { since: TreeSnapshot | null; tree: TreeNow },
): Promise<Outcome<TreeNow['changes'], string>> {
	if (before === since || before === null || tree.after === null) return pass(tree.changes);
	const committed = await committedBetween({ dir: ctx.workspace.dir, before, after: tree.after });
	return committed.ok ? pass(withoutOwnOutput(ctx.workspace.dir, changesBetween(before, tree.after, committed.value))) : committed;
}

/** What an attempt found, by its own file: `null` outside git. A file that is gone says nothing at all. */
function treeIn(file: string): Outcome<TreeSnapshot | null, string> {
	const kept = readJson(file, z.union([TreeSnapshot, z.literal(null).transform(() => 'no git' as const)]));
	if (kept === null) return fail('what it was before is lost');
	return pass(kept === 'no git' ? null : kept);
}

/** The file itself is the whole answer. What the gate reads of one that nobody will read must not fill the memory. */
function textAnswer(file: string, bytes: number): string {
	const each = (bytes <= 16 * MiB ? 8 : 2) * MiB;
	return readHeadAndTail(file, each, each).text;
}

/** Checks an answer's diff; applies it only where a writer left the tree alone and the diff stays inside its scope. */
async function tryDiff(ctx: RunContext, answer: string, applyWithin: { allow: string[]; deny: string[] } | null): Promise<DiffCheck> {
	const found = extractDiff(answer);
	if (found.kind !== 'diff') return found.kind === 'not_required' ? { kind: 'not_required' } : { kind: 'none' };
	const check = await applyDiff({ dir: ctx.workspace.dir, diffText: found.text, check: true });
	if (check.kind !== 'applies' || applyWithin === null) return check;
	const outside = outOfScope(
		check.paths.map((path) => ({ path, kind: 'modified' as const })),
		applyWithin,
		'write',
	);
	return outside.length > 0 ? check : applyDiff({ dir: ctx.workspace.dir, diffText: found.text, check: false });
}

function isLastReview(ctx: RunContext, stage: string): boolean {
	const reviews = ctx.plan.stages.filter((other) => ctx.roles.roles[other.role]?.verdict);
	return reviews.at(-1)?.name === stage;
}
