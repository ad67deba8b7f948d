import { statSync } from 'node:fs';
import type { EventOf } from '../contract/event.ts';
import type { GateResult } from '../contract/evidence.ts';
import { sha256 } from '../contract/sha256.ts';
import { judge } from '../gate/judge.ts';
import { stageOf } from '../journal/packet-state.ts';
import { othersBefore } from '../journal/totals.ts';
import { DiskTrouble, ensureDir, remove, removeTreeSoon, writeOwn } from '../packet/disk.ts';
import { writeMarker } from '../packet/marker.ts';
import { type AttemptNames, attemptTmp } from '../packet/names.ts';
import { publishedFiles, publishFiles, takeBack, takeBackOthers } from '../packet/published.ts';
import { readHeadAndTail, sizeOf } from '../packet/read.ts';
import { neverReached } from '../process/never-reached.ts';
import { exitKindOf } from '../triage/signature.ts';
import { commitAll } from '../worktree/commit.ts';
import { capturePatch, capturePaths } from '../worktree/patch.ts';
import { acceptanceArtifact } from './acceptance.ts';
import type { Attempt } from './attempt.ts';
import { evidenceOf, type Gathered } from './evidence-of.ts';
import type { Ended } from './follow-attempt.ts';
import { type HandedOff, handOff } from './hand-off.ts';
import { metaOf } from './meta-of.ts';
import { type RunContext, timeOf } from './run-context.ts';
import { type Triaged, triageStage } from './triage-stage.ts';
import { wrapperLog } from './wrapper-log.ts';

export type Collected = { readonly passed: true } | { readonly passed: false; readonly triaged: Triaged };

/**
 * An ended attempt becomes files that can be trusted, in this order: answer, log, patch and meta in the attempt's own directory; the
 * names users know; the journal's word on it; one barrier for all of these, which the next stage's reservation may share; and the done
 * marker last of all. Whatever moment cuts this short, a later run finds enough to do the rest again without another call.
 */
export async function collect(ctx: RunContext, attempt: Attempt, ended: Ended, canTighten: () => boolean): Promise<Collected> {
	const { reserved, stage, names } = attempt;
	ctx.lock.check();
	// What nobody would come back for goes before the journal's word.
	const cleaned = removeTreeSoon(attemptTmp(ctx.names.root, reserved.token));
	cleaned.catch(() => undefined);
	// Gone, if the power went between the reservation's barrier and its directory's.
	ensureDir(names.dir);
	const returned = neverReached({
		token: reserved.token,
		record: ended.record,
		wrapperExit: ended.wrapperExit,
		stdoutBytes: ended.stdout.bytes,
		stderrHead: readHeadAndTail(names.err, 4096, 0).text,
	});
	const gathered = await evidenceOf(ctx, attempt, ended);
	const judged: GateResult = gathered.ok
		? judge(gathered.value.evidence)
		: {
				pass: false,
				verdict: null,
				findings: null,
				failure: { class: 'unknown', reason: `the work tree could not be compared: ${gathered.failures[0]}` },
			};
	const answer = gathered.ok ? gathered.value.evidence.answer : ended.progress.text;
	if (gathered.ok) await keepPatch(ctx, attempt, gathered.value, judged);
	const gate = gathered.ok ? await committed(ctx, gathered.value, judged) : judged;
	const handedOff = gate.pass ? await handOff(ctx, attempt, answer) : null;
	const triaged = gate.pass
		? null
		: triageStage(ctx, {
				stage,
				failure: gate.failure,
				exitKind: exitKindOf({ exitCode: ended.record.exitCode, signal: ended.record.signal, ending: ended.ending }),
				stderr: gathered.ok ? gathered.value.evidence.stderr : '',
				session: ended.progress.sessionId,
				canTighten,
			});

	const text = attempt.invocation.output === 'text';
	const bytes = Buffer.from(answer);
	const out = text ? ended.stdout : { sha256: sha256(bytes), bytes: bytes.length };
	const planned = ctx.plan.stages.find((other) => other.name === stage.name)?.tool ?? stage.tool;
	const meta = metaOf(ctx, { attempt, ended, gate, triaged, out, plannedTool: planned });
	if (!text) writeOwn(names.out, bytes, 0o600);
	writeOwn(names.wrapperLog, wrapperLog(ctx, attempt, ended, meta), 0o600);
	writeOwn(
		names.meta,
		`${JSON.stringify(meta, null, 2)}
`,
	);
	if (gathered.ok) keepArtifact(ctx, attempt, gathered.value, answer);
	publishOutputs(ctx, attempt);
	await cleaned;
	const time = timeOf(ctx);
	const about = { time, task_id: reserved.task_id, stage: reserved.stage, attempt: reserved.attempt, provider: reserved.provider };
	ctx.journal.append(
		{ ...about, type: 'stage_collected', call: returned ? 'returned' : ended.lost ? 'in_doubt' : 'used', adopted: attempt.adopted },
		finishedEvent({ about, attempt, gate, triaged, meta, handedOff }),
	);
	// An earlier run's attempt was taken out of that run's purse.
	if (returned && reserved.paid && !attempt.adopted) ctx.purse.giveBack();
	if (meta.cost_usd !== null) ctx.purse.addCost(meta.cost_usd);
	// The one barrier: from here on the journal's word and the attempt's own files can make all the rest again.
	// The wrapper's log and the tree as it was are not waited for: nothing is made from them any more.
	// Of an earlier run's attempt nobody knows what came to the disk.
	const early = attempt.adopted ? [names.prompt, names.composeLog] : [];
	const own = [...early, names.out, names.meta, names.artifact, names.patch, names.stream, names.err];
	const files = [names.dir, ctx.names.attemptsOf(reserved.stage), ...filled(own)];
	ctx.barrier.owe(files, () => {
		if (triaged !== null) return unmark(ctx, triaged.runAgain);
		// A check beside it may have sent it back meanwhile.
		if (stageOf(ctx.journal.state, reserved.stage).status !== 'passed') return;
		ctx.lock.check();
		writeMarker(ctx.names, meta, { inputs_sha256: reserved.inputs_sha256, finished_at: time });
	});
	return triaged === null ? { passed: true } : { passed: false, triaged };
}

/** Work that is done again is not done. Whoever has passed once more since then keeps his marker. */
export function unmark(ctx: RunContext, stages: readonly string[]): void {
	if (stages.length > 0) ctx.lock.check();
	for (const stage of stages) if (stageOf(ctx.journal.state, stage).status !== 'passed') remove(ctx.names.marker(stage));
}

/** An empty file is in its directory, and that is all there is to it. */
const filled = (files: readonly string[]): string[] => files.filter((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);

function finishedEvent(ask: {
	about: Pick<EventOf<'stage_finished'>, 'time' | 'task_id' | 'stage' | 'attempt' | 'provider'>;
	attempt: Attempt;
	gate: GateResult;
	triaged: Triaged | null;
	meta: EventOf<'stage_finished'>['meta'];
	handedOff: HandedOff | null;
}): EventOf<'stage_finished'> {
	const { about, attempt, gate, triaged, meta, handedOff } = ask;
	return {
		...about,
		type: 'stage_finished',
		status: gate.pass ? 'passed' : 'failed',
		decision: triaged?.decision.kind ?? null,
		class: triaged?.failure.class ?? null,
		signature: triaged?.signature ?? null,
		reason: triaged?.reason ?? null,
		meta,
		verdict: gate.verdict,
		findings: gate.findings,
		inputs_sha256: attempt.reserved.inputs_sha256,
		handoff: handedOff,
		next_action: triaged?.nextAction ?? null,
		run_again: [...(triaged?.runAgain ?? [])],
	};
}

/** The attempt's files under the names users know. Of an earlier run's attempt nobody knows whether it came so far as to publish its prompt. */
function publishOutputs(ctx: RunContext, { reserved, adopted }: Attempt): void {
	const { stage, provider: tool, attempt } = reserved;
	const { whenReserved, whenCollected } = publishedFiles(ctx.names, { stage, tool, attempt });
	ctx.lock.check();
	takeBack(whenCollected, attempt);
	takeBackOthers(ctx.names, stage, othersBefore(ctx.journal.state.metas, { stage, tool, attempt }));
	publishFiles([...(adopted ? whenReserved : []), ...whenCollected]);
}

async function keepPatch(ctx: RunContext, { names, stage }: Attempt, gathered: Gathered, judged: GateResult): Promise<void> {
	const { before, tree } = gathered;
	if (before === null || tree.after === null || !tree.changes || tree.changes.length === 0) return;
	if (stage.access === 'read' && !judged.pass && judged.failure.class === 'scope_violation') await keepViolation(ctx, names, gathered);
	if (stage.access !== 'write' || before.tree === null || tree.after.tree === null) return;
	if (sizeOf(names.patch) !== null) return;
	const kept = await capturePatch({ dir: ctx.workspace.dir, before, after: tree.after, toFile: names.patch });
	// A change that was not kept must not pass for one that was: the next run tries again.
	if (!kept.ok) throw new DiskTrouble(kept.failures[0], names.patch, 'writing');
}

/** Of a reader no tree is kept, so its patch is against the commit. What git has no words for is in the list of paths alone. */
async function keepViolation(ctx: RunContext, names: AttemptNames, { before, tree, evidence }: Gathered): Promise<void> {
	const within = (tree.after?.inside ?? []).map(({ path }) => `${path}/`);
	const paths = (evidence.changes ?? [])
		.filter((change) => !change.protected && !change.ignored && !within.some((inner) => change.path.startsWith(inner)))
		.map((change) => change.path);
	await capturePaths({ dir: ctx.workspace.dir, head: before?.head ?? null, paths, scratch: ctx.names.state, toFile: names.patch });
}

/** A file of its own, be it the answer once more: who edits a plan in place must not change the answer that its marker vouches for. */
function keepArtifact(ctx: RunContext, { names, reserved }: Attempt, { evidence }: Gathered, answer: string): void {
	const role = ctx.roles.roles[reserved.role];
	if (!role?.artifact) return;
	const text = role.demands === 'acceptance' ? acceptanceArtifact(evidence.acceptance, answer) : answer;
	if (text.trim() !== '') writeOwn(names.artifact, text, 0o600);
}

/** Work that passed is committed to the packet's branch; if git refuses, it did not pass: a merge would bring nothing. */
async function committed(ctx: RunContext, { before, tree, evidence }: Gathered, judged: GateResult): Promise<GateResult> {
	const { mode, branch } = ctx.workspace.facts;
	if (!judged.pass || mode !== 'worktree' || evidence.role.access !== 'write' || !tree.changes || tree.changes.length === 0) return judged;
	const changed = new Set(tree.changes.map((change) => change.path));
	const except = (before?.entries ?? []).map((entry) => entry.path).filter((path) => !changed.has(path));
	const commit = await commitAll({ dir: ctx.workspace.dir, message: commitMessage(ctx), except });
	if (commit.ok) return judged;
	return {
		...judged,
		pass: false,
		failure: { class: 'unknown', reason: `the change could not be committed to ${branch}: ${commit.failures[0]}` },
	};
}

/** Subject: the goal's first line. What is committed stays for good, so no secret goes there. */
function commitMessage(ctx: RunContext): string {
	const [first = '', ...rest] = ctx.redact(ctx.manifest.goal).text.trim().split('\n');
	const subject = first.length > 72 ? `${first.slice(0, 71)}…` : first;
	const body = [first.length > 72 ? first : '', rest.join('\n').trim()].filter((part) => part !== '').join('\n');
	return [subject, body, `Dispatch-Task: ${ctx.names.id}`].filter((part) => part !== '').join('\n\n');
}
