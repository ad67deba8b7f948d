import type { EventOf } from '../contract/event.ts';
import type { AcceptanceResult } from '../contract/evidence.ts';
import type { PlannedStage } from '../contract/plan.ts';
import { stageOf } from '../journal/packet-state.ts';
import { readText } from '../packet/read.ts';
import { runCommand } from '../process/run-command.ts';
import { allowedCommands } from '../prompt/handoff.ts';
import { isHalted } from './halt.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { takeTreeAlone } from './take-guards.ts';

/** The commands a brief gave and that were allowed, else the manifest's own. */
export function acceptanceCommands(ctx: RunContext): string[] {
	const override = readText(ctx.names.override, 1024 * 1024);
	const given = override?.split('\n').filter((line) => line.trim() !== '') ?? [];
	const own = ctx.manifest.acceptance?.commands ?? [];
	// Asked again: a servant that may write files may have written this one.
	const { refused } = allowedCommands(given, own, ctx.config.merged.dispatch.verify?.allow_commands ?? []);
	return given.length > 0 && refused.length === 0 ? given : own;
}

/** Runs the acceptance commands ourselves, all of them, so that a reader sees every failure at once. */
export async function runAcceptance(ctx: RunContext, stage: PlannedStage, attempt: number): Promise<AcceptanceResult[]> {
	const commands = acceptanceCommands(ctx);
	const guard = commands.length === 0 ? null : await takeTreeAlone(ctx, stage);
	if (guard === null) return [];
	try {
		return await runCommands(ctx, { stage, attempt, commands });
	} finally {
		guard.release();
	}
}

async function runCommands(
	ctx: RunContext,
	{ stage, attempt, commands }: { stage: PlannedStage; attempt: number; commands: readonly string[] },
): Promise<AcceptanceResult[]> {
	const { timeout_sec = 600, max_output_kb = 1024 } = ctx.config.merged.dispatch.verify ?? {};
	const results: AcceptanceResult[] = [];
	const began = ctx.now().getTime();
	for (const [at, command] of commands.entries()) {
		if (isHalted(ctx.halt)) break;
		const elapsedSec = (ctx.now().getTime() - began) / 1000;
		const begins = beginsCommand(ctx, { stage, attempt, elapsedSec, activity: `acceptance: ${ctx.redact(command).text}` });
		if (at > 0) ctx.tell(begins);
		else {
			// Kept: whoever looks meanwhile, or after a crash, is to find that the stage has begun.
			ctx.journal.append(begins);
			ctx.barrier.owe([]);
		}
		const done = await runCommand({
			command,
			cwd: ctx.workspace.dir,
			env: commandEnv(ctx.env),
			timeoutSec: timeout_sec,
			maxOutputBytes: max_output_kb * 1024,
			redact: (text) => ctx.redact(text).text,
			signal: AbortSignal.any([ctx.halt.gently, ctx.halt.leave]),
			immediately: ctx.halt.atOnce,
		});
		results.push({
			command,
			exitCode: done.startFailure === null ? done.exitCode : 127,
			timedOut: done.timedOut,
			durationSec: Math.round(done.durationSec * 100) / 100,
			output: done.startFailure === null ? done.output : ctx.redact(done.startFailure).text,
		});
	}
	return results;
}

function beginsCommand(
	ctx: RunContext,
	{ stage, attempt, elapsedSec, activity }: { stage: PlannedStage; attempt: number; elapsedSec: number; activity: string },
): EventOf<'stage_progress'> {
	return {
		time: timeOf(ctx),
		task_id: ctx.names.id,
		type: 'stage_progress',
		stage: stage.name,
		attempt,
		provider: stageOf(ctx.journal.state, stage.name).tool ?? stage.tool,
		elapsed_sec: elapsedSec,
		steps: null,
		cost_usd: null,
		overtime: false,
		activity,
	};
}

/** The user's own commands see the user's environment, but not the variables that steer us. */
export function commandEnv(env: RunContext['env']): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('DISPATCH_')),
	);
}

export const failedCommands = (results: readonly AcceptanceResult[]): AcceptanceResult[] =>
	results.filter((result) => result.timedOut || result.exitCode !== 0);

/** `<stage>.artifact.md` of a verifying stage. */
export function acceptanceArtifact(results: readonly AcceptanceResult[], report: string | null): string {
	const rows = results.map(
		(r) =>
			`| \`${r.command.replaceAll('|', '\\|').replaceAll('`', "'")}\` | ${r.timedOut ? 'timed out' : (r.exitCode ?? 'killed')} | ${r.durationSec} s |`,
	);
	const outputs = results.map((r) => `### ${r.command}\n\n~~~~text\n${r.output.replaceAll('~~~~', '~~ ~~').trimEnd()}\n~~~~`);
	const table = results.length === 0 ? ['No acceptance commands were given.'] : ['| command | exit | time |', '|---|---|---|', ...rows];
	return [
		'# Verification',
		'',
		'## Commands',
		'',
		...table,
		'',
		...outputs,
		...(report === null ? [] : ['', '## Report', '', report.trim()]),
		'',
	].join('\n');
}
