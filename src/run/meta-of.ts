import type { GateResult } from '../contract/evidence.ts';
import type { Meta } from '../contract/meta.ts';
import type { Attempt } from './attempt.ts';
import { emptyMeta } from './empty-meta.ts';
import type { Ended } from './follow-attempt.ts';
import type { RunContext } from './run-context.ts';
import type { Triaged } from './triage-stage.ts';

export interface MetaAsk {
	readonly attempt: Attempt;
	readonly ended: Ended;
	readonly gate: GateResult;
	readonly triaged: Triaged | null;
	readonly out: { readonly sha256: string; readonly bytes: number };
	readonly plannedTool: string;
}

/** What happened in an attempt. What is not known is null. */
export function metaOf(ctx: RunContext, { attempt, ended, gate, triaged, out, plannedTool }: MetaAsk): Meta {
	const { reserved } = attempt;
	const { progress, record } = ended;
	const end = endWithin(reserved.time, ended.endedAt, ctx.now());
	return {
		schema: 1,
		stage: reserved.stage,
		tool: reserved.provider,
		exit_code: record.exitCode,
		start: reserved.time,
		end: end?.toISOString() ?? null,
		duration_sec: end === null ? null : Math.round((end.getTime() - Date.parse(reserved.time)) / 10) / 100,
		prompt_sha256: reserved.prompt_sha256,
		attempt: reserved.attempt,
		role: reserved.role,
		model: reserved.model,
		effort: reserved.effort,
		signal: record.signal,
		outcome: triaged === null ? 'passed' : triaged.failure.class,
		signature: triaged?.signature ?? null,
		reason: triaged?.reason ?? null,
		num_steps_reported: progress.stepsReported,
		num_steps_computed: progress.stepsComputed,
		num_turns_reported: progress.turnsReported,
		usage: progress.usage,
		cost_usd: progress.costUsd,
		cost_source: progress.costSource,
		session_id: progress.sessionId,
		out_sha256: out.sha256,
		out_bytes: out.bytes,
		prompt_bytes: reserved.prompt_bytes,
		adopted: attempt.adopted,
		verdict: gate.verdict,
		fallback_from: reserved.provider === plannedTool ? null : plannedTool,
	};
}

/** What a file's time says can be off: a packet that was copied has the times of its copy. */
function endWithin(start: string, end: Date | null, now: Date): Date | null {
	return end === null ? null : new Date(Math.max(Date.parse(start), Math.min(end.getTime(), now.getTime())));
}

/** An attempt that never came to a call: the failure is all there is to tell. */
export function metaWithoutCall(
	stage: { name: string; tool: string; role: string; model: string | null; effort: string | null },
	attempt: number,
	triaged: Triaged,
	{ start, end, durationSec }: { start: string; end: string; durationSec: number },
): Meta {
	return {
		...emptyMeta({ stage: stage.name, tool: stage.tool, attempt, role: stage.role, outcome: triaged.failure.class }),
		start,
		end,
		duration_sec: durationSec,
		model: stage.model,
		effort: stage.effort,
		signature: triaged.signature,
		reason: triaged.reason,
	};
}
