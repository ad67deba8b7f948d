import { builtInTools } from '../contract/built-in-tools.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { Decision, StageFailure } from '../contract/stage-failure.ts';
import { stageOf } from '../journal/packet-state.ts';
import { withDependents, writerBefore } from '../plan/dependents.ts';
import { findBlocked } from '../process/find-program.ts';
import { decide, quotaIfFar } from '../triage/decide.ts';
import { reasonOf } from '../triage/describe.ts';
import { nextAction } from '../triage/next-action.ts';
import { signatureOf } from '../triage/signature.ts';
import type { RunContext } from './run-context.ts';

export interface Triaged {
	readonly failure: StageFailure;
	readonly decision: Decision;
	readonly signature: string;
	readonly reason: string;
	readonly nextAction: string;
	/** With decision `fix`: what runs again, the writing stage first. */
	readonly runAgain: readonly string[];
}

export interface Failed {
	readonly stage: PlannedStage;
	readonly failure: StageFailure;
	readonly exitKind: string;
	readonly stderr: string;
	readonly session: string | null;
	/** Whether the aggressive digest would make another prompt than the one that failed. Only asked of a prompt that was too large. */
	readonly canTighten: () => boolean;
}

/** What is done about a failure, from what this run has seen so far. */
export function triageStage(ctx: RunContext, failed: Failed): Triaged {
	const { stage } = failed;
	const now = ctx.now().toISOString();
	const waiting = { now, maxWaitSec: ctx.options.maxWaitSec, waitForever: ctx.options.wait };
	const failure = blockedProgram(ctx, quotaIfFar(failed.failure, waiting));
	const reason = ctx.redact(reasonOf(failure)).text;
	const signature = signatureOf({
		class: failure.class,
		stage: stage.name,
		tool: stage.tool,
		exitKind: failed.exitKind,
		reason,
		stderr: failed.stderr,
	});
	const runAgain = fixStages(ctx, stage);
	const canTighten = failure.class === 'prompt_too_large' && failed.canTighten();
	const state = ctx.journal.state;
	const { decision } = decide({
		failure,
		retriesUsed: state.failuresThisRun[signature] ?? 0,
		retryBudget: ctx.plan.budgets.retry_budget,
		fallbackLeft: stage.fallback.filter((tool) => !stageOf(state, stage.name).fellBackTo.includes(tool)),
		attemptsOfClassInARow: (state.failuresThisRun[signature] ?? 0) + 1,
		jitter: ctx.random(),
		...waiting,
		canTighten,
		fixRoundsLeft: Number(ctx.plan.options.fix_rounds ?? 0) - state.fixRoundsThisRun,
		hasFixTarget: runAgain.length > 0,
	});
	const { servant } = ctx.servantOf(stage.tool);
	const limits = ctx.manifest.routing?.stages?.[stage.written];
	const keyOf = (limit: 'timeout_sec' | 'max_steps') => (limits?.[limit] === undefined ? null : `routing.stages.${stage.written}.${limit}`);
	return {
		failure,
		decision,
		signature,
		reason,
		nextAction: nextAction({
			failure,
			stage: stage.name,
			tool: stage.tool,
			taskId: ctx.names.id,
			hasSession: failed.session !== null && servant.canResume,
			care: (builtInTools as readonly string[]).includes(stage.tool) ? servant.care : null,
			stageKey: { timeout: keyOf('timeout_sec'), maxSteps: keyOf('max_steps') },
			workspace: ctx.workspace.facts.mode === 'worktree' ? ctx.workspace.facts.path : null,
			canTighten,
			paidCallBudget: ctx.plan.budgets.paid_call_budget,
			maxCostUsd: ctx.plan.budgets.max_cost_usd,
		}),
		runAgain: decision.kind === 'fix' ? runAgain : [],
	};
}

/** A program that is there and may not be executed wants another remedy than one that is missing. */
function blockedProgram(ctx: RunContext, failure: StageFailure): StageFailure {
	if (failure.class !== 'tool_missing') return failure;
	// A path is written from the root, and an entry of PATH is seen from where the servant works.
	const from = failure.command.includes('/') ? ctx.names.root : ctx.workspace.dir;
	const blocked = findBlocked(failure.command, ctx.env.PATH, from);
	return blocked === null ? failure : { ...failure, blocked };
}

/** The writing stage that mends it, and all that was made, or is being made, from that one's work. What failed for good is left so. */
function fixStages({ plan, journal }: RunContext, { name }: PlannedStage): string[] {
	const writer = writerBefore(plan, name);
	if (writer === null) return [];
	const hasBegun = (other: string) => !['pending', 'failed'].includes(stageOf(journal.state, other).status);
	return [writer, ...withDependents(plan, [writer]).filter((other) => other !== writer && (other === name || hasBegun(other)))];
}
