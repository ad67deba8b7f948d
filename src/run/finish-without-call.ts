import type { AcceptanceResult } from '../contract/evidence.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { nextAttempt } from '../packet/attempts.ts';
import { ensureDir, publishLink, writeJson, writeWhole } from '../packet/disk.ts';
import { acceptanceArtifact } from './acceptance.ts';
import { type Collected, unmark } from './collect.ts';
import { metaWithoutCall } from './meta-of.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { triageStage } from './triage-stage.ts';

/** A stage that failed before anybody was called: nothing was paid, and that is told as carefully as a call. */
export function finishWithoutCall(
	ctx: RunContext,
	{
		stage,
		failure,
		acceptance,
		canTighten,
	}: { stage: PlannedStage; failure: StageFailure; acceptance: readonly AcceptanceResult[]; canTighten: () => boolean },
): Collected {
	const triaged = triageStage(ctx, { stage, failure, exitKind: 'no call', stderr: '', session: null, canTighten });
	const n = nextAttempt(ctx.names, ctx.journal.state, stage.name);
	const names = ctx.names.attempt(stage.name, n);
	const time = timeOf(ctx);
	const meta = metaWithoutCall(stage, n, triaged, tookUntil(time, acceptance));
	ctx.lock.check();
	ensureDir(names.dir);
	writeJson(names.meta, meta);
	publishLink(ctx.names.output(stage.name, stage.tool, 'meta.json'), names.meta);
	if (acceptance.length > 0) {
		writeJson(names.acceptance, acceptance, 0o600);
		writeWhole(names.artifact, acceptanceArtifact(acceptance, null), 0o600);
		publishLink(ctx.names.artifact(stage.name), names.artifact);
	}
	ctx.journal.append({
		time,
		task_id: ctx.names.id,
		type: 'stage_finished',
		stage: stage.name,
		attempt: n,
		provider: stage.tool,
		status: 'failed',
		decision: triaged.decision.kind,
		class: triaged.failure.class,
		signature: triaged.signature,
		reason: triaged.reason,
		meta,
		verdict: null,
		findings: null,
		inputs_sha256: null,
		handoff: null,
		next_action: triaged.nextAction,
		run_again: [...triaged.runAgain],
	});
	ctx.barrier.owe([], () => unmark(ctx, triaged.runAgain));
	return { passed: false, triaged };
}

/** No servant took any time, but the commands did. */
function tookUntil(end: string, acceptance: readonly AcceptanceResult[]): { start: string; end: string; durationSec: number } {
	const durationSec = acceptance.reduce((sum, result) => sum + Math.round(result.durationSec * 100), 0) / 100;
	return { start: new Date(Date.parse(end) - durationSec * 1000).toISOString(), end, durationSec };
}
