import { existsSync } from 'node:fs';
import type { DispatchEvent, EventOf } from '../contract/event.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { costOf } from '../journal/totals.ts';
import { nextAttempt } from '../packet/attempts.ts';
import { ensureDir, publishLink, writeJson, writeOwn, writeWhole } from '../packet/disk.ts';
import type { AttemptNames } from '../packet/names.ts';
import { publishedFiles } from '../packet/published.ts';
import { type Attempt, attemptOf, planned } from './attempt.ts';
import type { ComposedStage } from './compose-stage.ts';
import { type RunContext, timeOf } from './run-context.ts';

export interface Reservation {
	readonly stage: PlannedStage;
	readonly kind: EventOf<'stage_reserved'>['kind'];
	readonly token: string;
	readonly composed: ComposedStage;
	/** The work tree as the servant will find it. */
	readonly tree: TreeSnapshot | null;
}

/** An attempt, and what must be on disk before its servant may start. */
export interface Reserved {
	readonly attempt: Attempt;
	readonly files: readonly string[];
}

/**
 * Prompt, then reservation, whose barrier is the caller's to reach: from there on the call counts, whatever happens.
 * The attempt's files carry everything that is needed to collect it without us. They and their names reach the disk with the answer:
 * after a power cut before that the call is in doubt, and nobody asks for them.
 */
export function reserve(ctx: RunContext, { stage, kind, token, composed, tree }: Reservation): Outcome<Reserved, StageFailure> {
	const { servant } = ctx.servantOf(stage.tool);
	const lack = lackOf(ctx, servant.paid);
	if (lack !== null) return fail(lack);
	const n = nextAttempt(ctx.names, ctx.journal.state, stage.name);
	const names = ctx.names.attempt(stage.name, n);
	ctx.lock.check();
	ensureDir(names.dir);
	writeOwn(names.prompt, composed.prompt, 0o600);
	writeOwn(names.composeLog, composed.log, 0o600);
	if (composed.acceptance.length > 0) writeJson(names.acceptance, composed.acceptance, 0o600);
	keepTree(ctx, names, tree);
	const { whenReserved } = publishedFiles(ctx.names, { stage: stage.name, tool: stage.tool, attempt: n });
	for (const { name, own } of whenReserved) publishLink(name, own);
	if (composed.digest !== null) writeWhole(ctx.names.digest, composed.digest, 0o600);
	const { boot_id, pid_namespace, host } = ctx.self;
	const reserved: EventOf<'stage_reserved'> = {
		...planned(stage, { attempt: n, token, session: composed.session }),
		time: timeOf(ctx),
		task_id: ctx.names.id,
		kind,
		paid: servant.paid,
		prompt_sha256: composed.prompt_sha256,
		prompt_bytes: composed.prompt_bytes,
		inputs_sha256: composed.inputs_sha256,
		boot_id,
		pid_namespace,
		host,
	};
	ctx.journal.append(reserved satisfies DispatchEvent);
	const own = composed.acceptance.length > 0 ? [names.acceptance] : [];
	// A writer answers for all its attempts: what this one finds is asked for again by the next, also after a power cut.
	const found = stage.access === 'write' ? [names.tree, names.dir, ctx.names.attemptsOf(stage.name)] : [];
	return pass({ attempt: { ...attemptOf(ctx, stage, reserved, false), tree }, files: [...own, ...found] });
}

/** The file of the last attempt, where the tree is still the same: a second name costs less than a second file. */
const lastTree = new WeakMap<RunContext, { readonly text: string; readonly file: string }>();

function keepTree(ctx: RunContext, names: AttemptNames, tree: TreeSnapshot | null): void {
	const text = `${JSON.stringify(tree)}\n`;
	const last = lastTree.get(ctx);
	if (last?.text === text && existsSync(last.file)) publishLink(names.tree, last.file);
	else writeOwn(names.tree, text, 0o600);
	lastTree.set(ctx, { text, file: names.tree });
}

/** Why the packet may not call anybody any more, or null. */
export function lackOf(ctx: RunContext, paid: boolean): StageFailure | null {
	const { paid_call_budget, max_cost_usd } = ctx.plan.budgets;
	const { used } = ctx.journal.state.calls;
	if (paid && used >= paid_call_budget) {
		return { class: 'budget_exhausted', budget: 'paid_calls', reason: `${used} of ${paid_call_budget} paid calls are used` };
	}
	const cost = costOf(ctx.journal.state.metas);
	if (max_cost_usd !== null && cost !== null && cost >= max_cost_usd) {
		return { class: 'budget_exhausted', budget: 'cost', reason: `$${cost.toFixed(4)} of $${max_cost_usd} is spent`, spentUsd: cost };
	}
	return null;
}
