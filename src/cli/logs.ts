import { StringDecoder } from 'node:string_decoder';
import { ExitCode } from '../contract/exit-code.ts';
import type { Plan } from '../contract/plan.ts';
import { hint } from '../contract/suggest.ts';
import { stageOf } from '../journal/packet-state.ts';
import { attemptsOnDisk } from '../packet/attempts.ts';
import { readJournal } from '../packet/journal-file.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readTail } from '../packet/read.ts';
import { followFile } from '../process/follow.ts';
import { openKeyAt } from '../prompt/private-keys.ts';
import { orderOf } from '../report/stage-order.ts';
import { type Call, type Command, flag, jsonOption, UsageError } from './command.ts';
import { derivedFacts } from './derived-facts.ts';
import { journalLine } from './journal-line.ts';
import { printJson } from './print-json.ts';
import { packetOf, projectOutcome } from './project-of.ts';
import { released } from './released.ts';
import { redactorOf, shownText } from './shown-text.ts';
import { stageCalled } from './stage-called.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'logs',
	summary: "Shows a packet's journal, or what the latest attempt of a stage wrote: wrapper log, stderr, end of its stream.",
	usage: '<id> [stage] [-f]',
	options: { ...jsonOption, follow: { type: 'boolean', short: 'f', help: 'go on until the run ends' } },
	positionals: { min: 1, max: 2 },
	examples: ['dispatch logs fix-login', 'dispatch logs fix-login codex_impl -f'],
	run: async (call) => {
		const names = packetNames(call.root, packetOf(call, call.args[0]!));
		if (flag(call, 'follow') && flag(call, 'json')) throw new UsageError('--json is one document; it cannot be followed');
		const stage = call.args[1];
		if (stage === undefined) await showJournal(call, names);
		else await showStage(call, names, stage);
		return ExitCode.completed;
	},
};

async function showJournal(call: Call, names: PacketNames): Promise<void> {
	const events = readJournal(names.journal);
	if (flag(call, 'json')) {
		printJson(call, { task_id: names.id, events });
		return;
	}
	if (events.length === 0 && !flag(call, 'follow')) call.err(`${names.id} has not run yet\n`);
	const show = shownText(names);
	let shown = 0;
	const showNew = () => {
		const now = readJournal(names.journal);
		for (const event of now.slice(shown)) call.out(`${show(journalLine(event))}\n`);
		shown = now.length;
	};
	showNew();
	if (!flag(call, 'follow')) return;
	while (!(await released(names.lock, 250))) showNew();
	showNew();
}

const tailChars = 64 * 1024;

/** Cut after redaction and at a line, so that no cut hides half a secret. */
function endOf(text: string): string {
	if (text.length <= tailChars) return text;
	const end = text.slice(-tailChars);
	return `[… earlier lines left out]\n${end.slice(end.indexOf('\n') + 1)}`;
}

async function showStage(call: Call, names: PacketNames, wanted: string): Promise<void> {
	const plan = (await derivedFacts(call, names)).plan ?? (await plannedNow(call, names));
	const known = orderOf(plan, standingOf(names.root, names.id).state);
	const stage = stageCalled(plan?.stages ?? [], wanted) ?? wanted;
	if (!known.includes(stage)) throw new UsageError(`${names.id} has no stage "${stage}"${hint(stage, known)}`);
	const lastAttempt = () => Math.max(stageOf(standingOf(names.root, names.id).state, stage).attempt, ...attemptsOnDisk(names, stage), 0);
	// Its turn may come while the run goes on.
	if (flag(call, 'follow')) while (lastAttempt() === 0 && !(await released(names.lock, 250)));
	const attempt = lastAttempt();
	if (attempt === 0) {
		call.err(`${stage} has not been called yet\n`);
		return;
	}
	const files = names.attempt(stage, attempt);
	const redact = redactorOf(names);
	const parts = { wrapper_log: files.wrapperLog, err: files.err, wrapper_err: files.wrapperErr, stream: files.stream, out: files.out };
	const texts = Object.entries(parts).map(([name, file]) => [name, endOf(redact(readTail(file, 4 * tailChars)))] as const);
	if (flag(call, 'json')) {
		printJson(call, { task_id: names.id, stage, attempt, ...Object.fromEntries(texts) });
		return;
	}
	const show = shownText(names);
	call.out(`${show(stage)}, attempt ${attempt}\n`);
	// What is followed comes last and from its beginning, so that nothing is shown twice.
	const followed = flag(call, 'follow') ? ['stream', 'out', 'err'] : [];
	for (const [name, text] of texts) {
		if (text !== '' && !followed.includes(name) && !(name === 'out' && texts.some(([one, said]) => one === 'stream' && said !== '')))
			call.out(`--- ${name}\n${show(text).trimEnd()}\n`);
	}
	if (followed.length > 0) await follow(call, names, [files.stream, files.out, files.err], show);
}

/** Before the first run the plan is in no file. */
async function plannedNow(call: Call, { id }: PacketNames): Promise<Plan | null> {
	const { openChecked } = await import('./checked-packet.ts');
	const project = projectOutcome(call);
	const opened = project.ok ? await openChecked(call, project.value, id, {}) : null;
	return opened?.ok ? opened.value.plan : null;
}

/** Whole lines only, and a private key when its last line has come: a secret cut in two would not be recognised. */
async function follow(call: Call, names: PacketNames, files: readonly string[], show: (text: string) => string): Promise<void> {
	const followers = files.map((file) => {
		const decoder = new StringDecoder('utf8');
		let rest = '';
		const follower = followFile({
			file,
			onChunk: (chunk) => {
				rest += decoder.write(chunk);
				const end = openKeyAt(rest.slice(0, rest.lastIndexOf('\n') + 1));
				if (end > 0) call.out(show(rest.slice(0, end)));
				rest = rest.slice(end);
			},
		});
		return { follower, flush: () => rest !== '' && call.out(`${show(rest)}\n`) };
	});
	await released(names.lock, null);
	for (const { follower, flush } of followers) {
		await follower.drain();
		follower.stop();
		flush();
	}
}
