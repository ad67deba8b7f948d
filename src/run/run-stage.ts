import { resetTime } from '../contract/complaint-text.ts';
import type { EventOf } from '../contract/event.ts';
import type { AcceptanceResult } from '../contract/evidence.ts';
import { never } from '../contract/outcome.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { FailureClass, StageFailure } from '../contract/stage-failure.ts';
import type { DigestPolicy } from '../contract/words.ts';
import { stageOf } from '../journal/packet-state.ts';
import { nextAttempt } from '../packet/attempts.ts';
import { readText } from '../packet/read.ts';
import { writerBefore } from '../plan/dependents.ts';
import { pause } from '../process/pause.ts';
import { failedCommands, runAcceptance } from './acceptance.ts';
import { beginAhead } from './ahead.ts';
import { callServant } from './call-servant.ts';
import type { Collected } from './collect.ts';
import { type ComposeAsk, composeStage } from './compose-stage.ts';
import { finishWithoutCall } from './finish-without-call.ts';
import { isHalted } from './halt.ts';
import { missingProgram } from './preflight.ts';
import { lackOf } from './reserve.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { sessionToResume } from './session.ts';
import type { Triaged } from './triage-stage.ts';

/** `again`: other stages run first (a fix round). `halted`: told to stop, or no call is left in the queue's purse. */
export type StageEnd = 'passed' | 'failed' | 'again' | 'halted';

/** What a stage carries from one attempt to the next. */
interface Carried {
	readonly stage: PlannedStage;
	readonly kind: EventOf<'stage_reserved'>['kind'];
	/** What a check found that this stage mends: every attempt of a fix round is told. */
	readonly fixReasons: readonly string[];
	/** Why the gate refused the attempt before. */
	readonly gateReasons: readonly string[];
	readonly digestPolicy: DigestPolicy;
	/** Acceptance commands are not run again only because the report about them was refused. */
	readonly acceptance: readonly AcceptanceResult[] | null;
}

/**
 *   compose → reserve → start → follow → collect → gate ─▶ passed
 *      ▲                                             └──▶ triage ─▶ failed | again
 *      └──────────────── retry, fallback ◀───────────────┘
 *
 * `recovered` is what became of an attempt that an earlier run left behind; it takes the place of the first pass.
 */
export async function runStage(ctx: RunContext, planned: PlannedStage, recovered: Collected | 'left' | null): Promise<StageEnd> {
	let carried = firstPass(ctx, planned);
	let result: Collected | 'left' | 'halted' | null = recovered;
	if (recovered === null) await sitOut(ctx, planned);
	for (;;) {
		if (result === null) {
			if (isHalted(ctx.halt)) return 'halted';
			if (!isDue(ctx, planned)) return 'again';
			const passed = await onePass(ctx, carried);
			carried = passed.carried;
			result = passed.result;
		}
		if (result === 'left' || result === 'halted') return 'halted';
		if (result.passed) return 'passed';
		// What somebody stopped after its run had died is booked, and was no word against this run.
		if (result === recovered && result.triaged.failure.class === 'interrupted' && !isHalted(ctx.halt)) {
			result = null;
			continue;
		}
		const next = await follow(ctx, carried, result.triaged);
		if (typeof next === 'string') return next;
		carried = next;
		result = null;
	}
}

/** What it is made from may have been sent back meanwhile, by a check beside it. */
const isDue = (ctx: RunContext, { needs }: PlannedStage): boolean =>
	needs.every((need) => stageOf(ctx.journal.state, need).status === 'passed');

function firstPass(ctx: RunContext, stage: PlannedStage): Carried {
	const before = stageOf(ctx.journal.state, stage.name);
	const fixReasons = fixReasonsOf(ctx, stage);
	const kind = fixReasons.length > 0 ? 'fix' : before.attempt === 0 ? 'first' : 'retry';
	return { stage, kind, fixReasons, gateReasons: refusals(before.failure), digestPolicy: ctx.plan.digest_policy, acceptance: null };
}

/** Why the gate refused the last answer, if that is what a new one could mend. */
function refusals(failure: ReturnType<typeof stageOf>['failure']): string[] {
	const mendable = failure !== null && ['contract_violation', 'empty_output', 'no_change'].includes(failure.class);
	return mendable ? [failure.reason] : [];
}

/** A writing stage that runs again because a later check failed, and has not passed since, is told what failed; in a later run too. */
function fixReasonsOf(ctx: RunContext, stage: PlannedStage): string[] {
	return ctx.plan.stages.flatMap((other) => {
		const failure = stageOf(ctx.journal.state, other.name).failure;
		if (failure?.decision !== 'fix' || writerBefore(ctx.plan, other.name) !== stage.name) return [];
		return [`${other.name} failed after your change: ${failure.reason}`, readText(ctx.names.artifact(other.name)) ?? ''].filter(
			(text) => text !== '',
		);
	});
}

async function onePass(ctx: RunContext, carried: Carried): Promise<{ carried: Carried; result: Collected | 'left' | 'halted' }> {
	const { stage } = carried;
	const refuse = (failure: StageFailure, acceptance: readonly AcceptanceResult[] = [], canTighten = () => false) =>
		finishWithoutCall(ctx, { stage, failure, acceptance, canTighten });
	const missing = missingProgram(ctx, stage);
	if (missing !== null) return { carried, result: refuse({ class: 'tool_missing', command: missing }) };
	const wantsAcceptance = ctx.roles.roles[stage.role]?.demands === 'acceptance';
	const acceptance =
		carried.acceptance ?? (wantsAcceptance ? await runAcceptance(ctx, stage, nextAttempt(ctx.names, ctx.journal.state, stage.name)) : []);
	const kept = { ...carried, acceptance };
	if (isHalted(ctx.halt)) return { carried: kept, result: 'halted' };
	const broken = failedCommands(acceptance);
	if (broken.length > 0) {
		const reasons = broken.map((r) => `\`${r.command}\` ${r.timedOut ? 'timed out' : `exited ${r.exitCode ?? 'by a signal'}`}`);
		return { carried: kept, result: refuse({ class: 'acceptance_failed', reasons }, acceptance) };
	}
	const session = ctx.options.resume ? sessionToResume(ctx, stage) : null;
	const reasons = [...carried.fixReasons, ...carried.gateReasons];
	const ahead = beginAhead(ctx, stage, session);
	try {
		const ask: ComposeAsk = {
			stage,
			acceptance,
			gateReasons:
				session === null
					? reasons
					: [...reasons, 'You were stopped before you could finish. Continue where you were, and give the complete answer.'],
			digestPolicy: carried.digestPolicy,
			session,
		};
		const composed = composeStage(ctx, ask);
		const canTighten = () => {
			const tight = composeStage(ctx, { ...ask, digestPolicy: 'aggressive' });
			return tight.ok && !(composed.ok && composed.value.prompt_sha256 === tight.value.prompt_sha256);
		};
		if (!composed.ok) return { carried: kept, result: refuse(composed.failures[0], [], canTighten) };
		const called = await callServant(ctx, {
			stage,
			kind: session === null ? carried.kind : 'resume',
			composed: composed.value,
			ahead,
			canTighten,
		});
		return { carried: kept, result: 'refused' in called ? refuse(called.refused) : called.result };
	} finally {
		ahead.drop();
	}
}

/** What the decision makes of the next pass. */
async function follow(ctx: RunContext, carried: Carried, { decision, reason, failure }: Triaged): Promise<Carried | StageEnd> {
	switch (decision.kind) {
		case 'stop':
			return 'failed';
		case 'fix':
			return 'again';
		case 'retry':
			await waitFor(ctx, carried.stage, decision.waitSec, failure.class);
			return {
				...carried,
				kind: 'retry',
				gateReasons: decision.addReasons ? [reason] : carried.gateReasons,
				digestPolicy: decision.digest ?? carried.digestPolicy,
			};
		case 'fallback': {
			const stage = {
				...ctx.stageFor(carried.stage, decision.tool),
				name: carried.stage.name,
				needs: carried.stage.needs,
				fallback: carried.stage.fallback,
			};
			ctx.journal.append({
				...aboutNext(ctx, stage),
				type: 'stage_fallback',
				from: carried.stage.tool,
				class: failure.class,
			});
			return { ...carried, stage, kind: 'fallback' };
		}
		default:
			return never(decision);
	}
}

/** With `--wait` a limit that an earlier run met is sat out before anybody is called, if it said when it ends. */
async function sitOut(ctx: RunContext, stage: PlannedStage): Promise<void> {
	const { failure, tool } = stageOf(ctx.journal.state, stage.name);
	if (!ctx.options.wait || failure === null || tool !== stage.tool || !['quota', 'rate_limit'].includes(failure.class)) return;
	const resetAt = Date.parse(resetTime(failure.reason, failure.time) ?? '');
	const waitSec = (resetAt - ctx.now().getTime()) / 1000;
	if (waitSec > 0) await waitFor(ctx, stage, waitSec, failure.class);
}

async function waitFor(ctx: RunContext, stage: PlannedStage, waitSec: number, why: FailureClass): Promise<void> {
	// Nobody waits for a call that will be refused.
	if (waitSec <= 0 || lackOf(ctx, ctx.servantOf(stage.tool).servant.paid) !== null || ctx.purse.empty() !== null) return;
	const until = ctx.now().getTime() + waitSec * 1000;
	ctx.journal.append({ ...aboutNext(ctx, stage), type: 'stage_waiting', class: why, until: new Date(until).toISOString() });
	ctx.settle.now();
	// By the clock on the wall, not by a timer alone: a laptop that slept has waited long enough.
	while (ctx.now().getTime() < until && !isHalted(ctx.halt)) {
		await pause(Math.min(until - ctx.now().getTime(), 30_000), ctx.halt.gently, ctx.halt.leave);
	}
}

const aboutNext = (ctx: RunContext, stage: PlannedStage) => ({
	time: timeOf(ctx),
	task_id: ctx.names.id,
	stage: stage.name,
	attempt: nextAttempt(ctx.names, ctx.journal.state, stage.name),
	provider: stage.tool,
});
