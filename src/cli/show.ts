import { parseManifest } from '../config/load-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { lastFailureOf, verdictOf } from '../journal/standing.ts';
import { statsOf } from '../journal/totals.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readBytes, readText } from '../packet/read.ts';
import { blockedWord } from '../queue/blocked-word.ts';
import { mapOf } from '../queue/chain.ts';
import { chainFaults } from '../queue/chain-faults.ts';
import { isStillInvalid, saysInvalid } from '../queue/found-invalid.ts';
import { entryOf, indexPackets } from '../queue/packet-index.ts';
import { reviewWord } from '../queue/review-word.ts';
import { nextActionFor } from '../report/next-action.ts';
import { orderOf } from '../report/stage-order.ts';
import { stageRows } from '../report/stage-rows.ts';
import { renderSummary } from '../report/summary.ts';
import { buildSummaryView } from '../report/summary-view.ts';
import { type Call, type Command, flag, jsonOption } from './command.ts';
import { derivedFacts } from './derived-facts.ts';
import { printJson } from './print-json.ts';
import { problemFields } from './problem-fields.ts';
import { packetOf, projectOutcome } from './project-of.ts';
import { shownProblems } from './shown-problems.ts';
import { keepingTabs, redactorOf } from './shown-text.ts';
import { standingOf } from './standing-of.ts';
import { failedOutput, withIntent } from './summary-file.ts';
import { reviewedSummary } from './tell-parent.ts';

export const command: Command = {
	name: 'show',
	summary: 'Shows where a packet stands: its summary, made anew from the journal if its run is gone.',
	usage: '<id> [--json]',
	options: jsonOption,
	positionals: { min: 1, max: 1 },
	examples: ['dispatch show fix-login', 'dispatch show fix-login --json'],
	run: async (call) => {
		const names = packetNames(call.root, packetOf(call, call.args[0]!));
		const standing = await standingWith(call, names);
		if (flag(call, 'json')) printJson(call, await documentOf(call, names, standing));
		else call.out(keepingTabs(await summaryOf(call, names, standing)));
		return ExitCode.completed;
	},
};

/** The written summary while it says what is so; of a run that goes on, or died, the journal knows more. */
async function summaryOf(call: Call, names: PacketNames, { state, status, problems, told, blocked }: Shown): Promise<string> {
	const written = readText(names.summary, 1024 * 1024);
	const reviewed = status === 'completed' ? reviewedSummary(names) : null;
	if (reviewed !== null && !written?.includes(reviewed.word.line)) return reviewed.text;
	// That it was found invalid is out of date when what was wrong has been changed.
	const holds = told || (state.runs > 0 && !saysInvalid(written ?? ''));
	if (written !== null && !state.running && holds) return written;
	const { plan, workspace, manifest, order } = await factsOf(call, names, state);
	const built = buildSummaryView({
		taskId: names.id,
		plan,
		manifest,
		state,
		status,
		now: state.updated ?? new Date().toISOString(),
		stderr: failedOutput(names, state, order),
		problems,
		workspace,
		redact: redactorOf(names),
	});
	const view = withIntent(built, names);
	return renderSummary(blocked === null ? view : { ...view, nextAction: blocked });
}

async function documentOf(call: Call, names: PacketNames, { state, status, problems, blocked }: Shown): Promise<object> {
	const { plan, workspace, failed, order, manifest } = await factsOf(call, names, state);
	const review = status === 'completed' && manifest?.create_review === true ? reviewWord(names.root, names.id) : null;
	const redact = redactorOf(names);
	return {
		task_id: names.id,
		status,
		verdict: verdictOf(state, order),
		next_action: review?.nextAction ?? blocked ?? redact(nextActionFor({ taskId: names.id, status, plan, state, workspace })),
		updated: state.updated,
		stages: stageRows(state, order, status).map((row) => ({
			name: row.name,
			status: row.status,
			tool: row.tool,
			attempt: row.attempt,
			duration_sec: row.durationSec,
			exit_code: row.exitCode,
			steps: row.steps,
			cost_usd: row.costUsd,
			gate: row.gate,
			output: row.output,
		})),
		stats: statsOf(state),
		last_failure: failed === null ? null : { ...failed, reason: redact(failed.reason) },
		problems: shownProblems(names.root, problems).map(problemFields),
		workspace,
		plan,
	};
}

interface Shown extends ReturnType<typeof standingOf> {
	readonly problems: readonly Complaint[];
	/** The written summary says that it is invalid, and still holds. */
	readonly told: boolean;
	/** `blocked: …` of a packet whose turn has not come. */
	readonly blocked: string | null;
}

/** Of a packet that never ran the listings know whether it can; of one that has, the summary tells what its journal cannot. */
async function standingWith(call: Call, names: PacketNames): Promise<Shown> {
	const { state, status } = standingOf(names.root, names.id);
	if (state.runs > 0 && status !== 'in_progress' && isStillInvalid(names))
		return { state, status: 'invalid', problems: await problemsOf(call, names.id), told: true, blocked: null };
	const entry = status === 'pending' ? entryOf(names.root, names.id) : null;
	const queue = entry !== null && entry.dependsOn.length > 0 ? indexPackets(names.root) : [];
	const invalid = entry?.status === 'invalid' || chainFaults(mapOf(queue)).has(names.id);
	const problems = invalid ? await problemsOf(call, names.id) : [];
	const word = invalid ? null : blockedWord(queue, names.id);
	return {
		state,
		status: invalid ? 'invalid' : (entry?.status ?? status),
		problems,
		told: entry?.status === 'invalid',
		blocked: word === null ? null : `blocked: ${word}`,
	};
}

/** What a run would be refused for. */
async function problemsOf(call: Call, id: string): Promise<readonly Complaint[]> {
	const project = projectOutcome(call);
	if (!project.ok) return project.failures;
	const opened = await (await import('./checked-packet.ts')).openChecked(call, project.value, id, {});
	return opened.ok ? [] : opened.failures.map(({ complaint }) => complaint);
}

async function factsOf(call: Call, names: PacketNames, state: ReturnType<typeof standingOf>['state']) {
	const { plan, workspace } = await derivedFacts(call, names);
	const order = orderOf(plan, state);
	const text = readBytes(names.manifest, 4 * 1024 * 1024);
	const loaded = text === null ? null : parseManifest(text, names.manifest, names.id);
	return {
		plan,
		order,
		workspace,
		manifest: loaded?.ok ? loaded.value.manifest : null,
		failed: lastFailureOf(state, order),
	};
}
