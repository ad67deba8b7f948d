import { z } from 'zod';
import type { AcceptanceResult, DiffCheck, Evidence } from '../contract/evidence.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { outOfScope } from '../gate/scope.ts';
import { extractDiff } from '../gate/unified-diff.ts';
import { readHeadAndTail, readJson, readTail } from '../packet/read.ts';
import { applyDiff } from '../worktree/apply-diff.ts';
import type { Attempt } from './attempt.ts';
import type { Ended } from './follow-attempt.ts';
import type { TreeNow } from './guarded-tree.ts';
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
	const found = treeBefore(ctx, attempt);
	if (!found.ok) return found;
	const before = found.value;
	const scope = { allow: ctx.manifest.scope?.allow ?? [], deny: ctx.manifest.scope?.deny ?? [] };
	let tree = await ctx.tree.since(before, stage.access);
	if (!tree.ok) return tree;
	let diff: DiffCheck = { kind: 'none' };
	const good = ended.ending === null && !ended.lost && ended.record.exitCode === 0;
	if (good && before !== null && (role.demands === 'change' || role.demands === 'proposal')) {
		const untouched = role.demands === 'change' && tree.value.changes?.length === 0;
		diff = await tryDiff(ctx, answer, untouched ? scope : null);
		if (untouched && diff.kind === 'applies') tree = await ctx.tree.since(before, stage.access);
		if (!tree.ok) return tree;
	}
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
		changes: tree.value.changes,
		scope,
		acceptance: (readJson(names.acceptance, z.array(z.any())) ?? []) as AcceptanceResult[],
		diff,
		failOnHigh: ctx.plan.options.fail_on === 'high' && isLastReview(ctx, reserved.stage),
		now: ctx.now().toISOString(),
	};
	return pass({ evidence, before, tree: tree.value });
}

/**
 * The work tree as the stage found it. A writer answers for all its attempts: what an earlier one left outside the scope, or did well
 * before it was stopped, is part of what this stage changed. What must not change at all is compared within this attempt only: the user
 * may have raised a budget in between.
 */
function treeBefore(ctx: RunContext, { stage, names, reserved, tree }: Attempt): Outcome<TreeSnapshot | null, string> {
	const own = tree === undefined ? treeIn(names.tree) : pass(tree);
	if (!own.ok || own.value === null || stage.access === 'read') return own;
	const { guarded, ignored } = own.value;
	for (let n = ctx.firstAttempt(reserved.stage); n < reserved.attempt; n++) {
		const earlier = treeIn(ctx.names.attempt(reserved.stage, n).tree);
		if (earlier.ok && earlier.value !== null && earlier.value.tree !== null) return pass({ ...earlier.value, guarded, ignored });
	}
	return own;
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
