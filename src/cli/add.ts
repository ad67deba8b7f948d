import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import { type Outcome, pass } from '../contract/outcome.ts';
import { schemaLine } from '../contract/schema-line.ts';
import { hint } from '../contract/suggest.ts';
import { TaskType } from '../contract/words.ts';
import { archiveDir } from '../packet/names.ts';
import { chainComplaints } from '../queue/chain.ts';
import { deriveId, isTaken, manifestText, type NewManifest, writePacket } from '../queue/new-packet.ts';
import { archivedAmong, indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import { isAbsoluteIn, type OpenedPacket, openPacket, type Refusal } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import { sayRefused } from './checked-packet.ts';
import { type Call, type Command, flag, jsonOption, text, texts, UsageError } from './command.ts';
import { checkGroup } from './edit.ts';
import { flagRefusals } from './flag-refusals.ts';
import { processStdin, readTask } from './goal-source.ts';
import { packetInputs } from './packet-inputs.ts';
import { printJson } from './print-json.ts';
import { packetOf, projectOf } from './project-of.ts';

export const command: Command = {
	name: 'add',
	summary:
		'Makes a packet. The goal comes from the argument, --file, standard input (-, or when it is no terminal) or $EDITOR; its first line is the goal, more lines become inputs/user_request.md. Without an id one is derived.',
	usage: '[id] [goal] [--type T] [--group G] [--based-on ID] …',
	options: {
		type: { type: 'string', value: 'T', help: `${TaskType.options.join(', ')} (default task)` },
		intent: { type: 'string', value: 'PROFILE', help: 'the profile to run, such as review_cross; without --type there is no task type' },
		group: { type: 'string', value: 'G', help: 'label for related packets' },
		'based-on': { type: 'string', value: 'ID', help: 'packet whose work this one continues' },
		'depends-on': { type: 'string', multiple: true, value: 'ID', help: 'packet that must be completed first; may be repeated' },
		review: { type: 'boolean', help: 'run a review packet when this one is completed' },
		'same-branch': { type: 'boolean', help: "continue on the dependency's branch" },
		provider: { type: 'string', value: 'TOOL', help: 'servant for stages whose tool is not fixed by name' },
		model: { type: 'string', value: 'MODEL', help: 'model for those stages' },
		allow: { type: 'string', multiple: true, value: 'P', help: 'what may be written; may be repeated (default ** where something is)' },
		deny: { type: 'string', multiple: true, value: 'P', help: 'what must not be written; may be repeated' },
		attach: { type: 'string', multiple: true, value: 'F', help: 'file copied to inputs/attachments/; may be repeated' },
		context: { type: 'string', value: 'F', help: 'file copied to inputs/context_pack.md' },
		diff: {
			type: 'string',
			optionalValue: true,
			value: '[BASE]',
			help: 'attach what changed since BASE (else HEAD), uncommitted and new files included, as git.diff',
		},
		file: { type: 'string', value: 'F', help: 'read the goal from a file' },
		...jsonOption,
	},
	positionals: { min: 0, max: 2 },
	examples: [
		'dispatch add it-plan "Design the ImageTransform system" --type plan --group tarantino-v2',
		'dispatch add it-impl "Implement ImageTransform" --type implement --based-on it-plan --review --allow src --allow test',
		'dispatch add "Review my changes" --type review --diff main',
	],
	run: add,
};

async function add(call: Call): Promise<number> {
	const draft = draftOf(call);
	const task = readTask({ args: call.args, file: text(call, 'file'), cwd: call.cwd, env: call.env, stdin: processStdin });
	if (task.id !== null && isTaken(call.root, task.id)) throw new UsageError(`there is a packet "${task.id}" already`);
	const project = await projectOf(call);
	if (typeof project === 'number') return project;
	const inputs = await packetInputs(call, task.request);
	const entries = indexPackets(call.root);
	for (;;) {
		const now = new Date();
		const id = task.id ?? deriveId(task.goal, now, (wanted) => isTaken(call.root, wanted));
		const wanted: NewManifest = { ...draft, id, goal: task.goal, createdAt: now.toISOString() };
		const checked = check(call, project, wanted, entries);
		if (!checked.ok) return sayRefused(call, id, flagRefusals(checked.failures, id, scopedText(wanted)));
		const made = await writePacket(call.root, id, { ...inputs, 'manifest.yaml': withSchema(call.root, checked.value.text) });
		if (made.ok) return told(call, id, checked.value.opened, entries);
		// Somebody made a packet of that name meanwhile; another name will do unless this one was asked for.
		if (task.id !== null) throw new UsageError(made.failures[0]);
	}
}

/** Editors check and complete the file where `dispatch init` has left the schemas. */
const withSchema = (root: string, manifest: string): string =>
	existsSync(join(root, 'configs/schemas/manifest.schema.json')) ? `${schemaLine('manifest')}\n${manifest}` : manifest;

/** The manifest as it will be written, planned before anything is written. A packet that writes needs a scope; the user is to see it. */
function check(
	call: Call,
	project: Project,
	wanted: NewManifest,
	entries: readonly PacketEntry[],
): Outcome<{ text: string; opened: OpenedPacket }, Refusal> {
	const all = [...entries, ...archivedAmong(call.root, [...entries, { id: '', dependsOn: neededBy(wanted) }])];
	const open = (manifest: string) =>
		openPacket({
			project,
			id: wanted.id,
			flags: {},
			env: call.env,
			manifest,
			checkChain: (loaded, id) => chainComplaints(all, loaded, id),
		});
	const scoped = scopedText(wanted);
	const opened = open(scoped);
	if (!opened.ok) return opened;
	const writes = opened.value.plan.stages.some((stage) => stage.access === 'write');
	return pass({ text: writes ? scoped : manifestText(wanted), opened: opened.value });
}

const scopedText = (wanted: NewManifest): string => manifestText(wanted.allow?.length ? wanted : { ...wanted, allow: ['**'] });

const neededBy = ({ basedOn, dependsOn = [] }: NewManifest): string[] => [...(basedOn ? [basedOn] : []), ...dependsOn];

function draftOf(call: Call): Omit<NewManifest, 'id' | 'goal' | 'createdAt'> {
	const intent = text(call, 'intent');
	const group = text(call, 'group')?.trim();
	if (group) checkGroup(group);
	const basedOn = text(call, 'based-on');
	const dependsOn = texts(call, 'depends-on')
		.flatMap((ids) => ids.split(','))
		.filter((id) => id !== '');
	if (flag(call, 'same-branch') && !basedOn && dependsOn.length === 0) {
		throw new UsageError('--same-branch needs --based-on or --depends-on: it continues the branch of that packet');
	}
	const type = typeOf(text(call, 'type') ?? (intent ? undefined : 'task'));
	return {
		...(type ? { type } : {}),
		...(intent ? { intent } : {}),
		...(group ? { group } : {}),
		...(basedOn ? { basedOn: dependency(call, basedOn) } : {}),
		dependsOn: [...new Set(dependsOn.map((id) => dependency(call, id)))],
		review: flag(call, 'review'),
		sameBranch: flag(call, 'same-branch'),
		...(text(call, 'provider') ? { provider: text(call, 'provider') } : {}),
		...(text(call, 'model') ? { model: text(call, 'model') } : {}),
		allow: texts(call, 'allow').map((path) => fromRoot(call.root, path)),
		deny: texts(call, 'deny').map((path) => fromRoot(call.root, path)),
	};
}

/** A shell completes absolute paths; a packet is to work elsewhere too. */
const fromRoot = (root: string, path: string): string => (isAbsoluteIn(root, path) ? relative(root, path) || '.' : path);

function typeOf(given: string | undefined): TaskType | undefined {
	if (given === undefined) return undefined;
	const type = TaskType.safeParse(given);
	if (!type.success) throw new UsageError(`there is no task type "${given}"${hint(given, TaskType.options)}`);
	return type.data;
}

/** An id or a unique prefix of one; an archived packet must be named in full. */
function dependency(call: Call, wanted: string): string {
	return /^[\w-][\w.-]*$/.test(wanted) && existsSync(join(archiveDir(call.root), wanted, 'manifest.yaml'))
		? wanted
		: packetOf(call, wanted);
}

function told(call: Call, id: string, { loaded }: OpenedPacket, entries: readonly PacketEntry[]): number {
	const statuses = new Map(entries.map((entry) => [entry.id, entry.status]));
	const { based_on, depends_on = [] } = loaded.manifest;
	const waits = [based_on ?? [], depends_on].flat().filter((other) => statuses.has(other) && statuses.get(other) !== 'completed');
	const manifest = `.tmp/task/${id}/manifest.yaml`;
	const next = waits.length === 0 ? `dispatch run ${id}` : 'dispatch work --all';
	if (flag(call, 'json')) printJson(call, { task_id: id, manifest, blocked_by: [...new Set(waits)], next });
	else {
		const waiting = waits.length === 0 ? '' : ` (it waits for ${[...new Set(waits)].join(', ')})`;
		call.out(`${id}\n  ${manifest}\n  next: ${next}${waiting}\n`);
	}
	return ExitCode.completed;
}
