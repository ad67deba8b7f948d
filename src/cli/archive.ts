import { ExitCode, gravest } from '../contract/exit-code.ts';
import { archivePacket } from '../queue/archive.ts';
import { archivedPackets, deleteArchived } from '../queue/archived.ts';
import { inOrder } from '../queue/chain.ts';
import { indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import { visible } from '../report/visible.ts';
import { type Call, type Command, flag, text, UsageError } from './command.ts';
import { packetOf } from './project-of.ts';

export const command: Command = {
	name: 'archive',
	summary:
		'Puts finished packets away to .tmp/archive/, with their worktrees if those are clean and merged. Nothing is deleted unless --delete says so.',
	usage: '<id>… | --older-than 7d [--delete]',
	options: {
		'older-than': { type: 'string', value: 'AGE', help: 'all finished packets that nothing has touched for so long: 12h, 7d, 4w' },
		delete: { type: 'boolean', help: 'delete them, also from the archive, instead of keeping them' },
	},
	positionals: { min: 0, max: 10_000 },
	examples: ['dispatch archive fix-login', 'dispatch archive --older-than 7d', 'dispatch archive --older-than 12w --delete'],
	run: async (call) => {
		const age = text(call, 'older-than');
		if ((age === undefined) === (call.args.length === 0)) throw new UsageError('archive takes ids, or --older-than AGE');
		return age === undefined ? archiveNamed(call) : archiveOld(call, new Date(Date.now() - ageMs(age)).toISOString());
	},
};

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function ageMs(given: string): number {
	const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given) ?? [];
	if (count === undefined || unit === undefined) throw new UsageError(`--older-than takes an age like 12h, 7d or 4w, not "${given}"`);
	return Number(count) * units[unit]!;
}

async function archiveNamed(call: Call): Promise<number> {
	const put = new Set(archivedPackets(call.root).map((one) => one.id));
	const codes: number[] = [];
	const here = new Set(
		indexPackets(call.root)
			.filter((entry) => !entry.archived)
			.map((entry) => entry.id),
	);
	// Only the exact id of an archived packet means it: it is about to be deleted.
	const inArchive = call.args.filter((wanted) => flag(call, 'delete') && !here.has(wanted) && put.has(wanted));
	const ids = call.args.filter((wanted) => !inArchive.includes(wanted)).map((wanted) => packetOf(call, wanted));
	for (const id of dependentsFirst(ids, indexPackets(call.root))) codes.push(await archiveOne(call, id));
	for (const id of inArchive) codes.push((await deleteOne(call, id)) ? ExitCode.completed : ExitCode.failed);
	return gravest(codes);
}

/** What is not finished is left alone without a word; what is finished and cannot be put away is named, and disturbs no other. */
async function archiveOld(call: Call, before: string): Promise<number> {
	const entries = indexPackets(call.root);
	const finished = (entry: PacketEntry) => ['completed', 'failed', 'needs_human'].includes(entry.status);
	const old = entries.filter((entry) => !entry.archived && finished(entry) && (entry.updated ?? entry.created) < before);
	const put = flag(call, 'delete') ? archivedPackets(call.root).filter((one) => one.updated < before) : [];
	for (const id of dependentsFirst(
		old.map((entry) => entry.id),
		entries,
	))
		await archiveOne(call, id);
	for (const { id } of put) await deleteOne(call, id);
	if (old.length + put.length === 0) call.out('nothing is that old\n');
	return ExitCode.completed;
}

/** So that a packet whose dependents go too is not held back by them. */
const dependentsFirst = (ids: readonly string[], entries: readonly PacketEntry[]): string[] =>
	inOrder([...new Set(ids)], new Map(entries.map((entry) => [entry.id, entry]))).reverse();

async function archiveOne(call: Call, id: string): Promise<number> {
	const done = await archivePacket({
		root: call.root,
		id,
		delete: flag(call, 'delete'),
		entries: indexPackets(call.root),
		now: new Date().toISOString(),
	});
	if (done.ok) {
		call.out(done.value.to === null ? `${id} deleted\n` : `${id} → ${done.value.to}\n`);
		return ExitCode.completed;
	}
	call.err(`${id} stays:\n${done.failures.map(({ message }) => `  ${visible(message)}\n`).join('')}`);
	return done.failures[0].kind === 'locked' ? ExitCode.locked : ExitCode.failed;
}

async function deleteOne(call: Call, id: string): Promise<boolean> {
	const done = await deleteArchived(call.root, id, indexPackets(call.root));
	if (done.ok) call.out(`${id} deleted from the archive\n`);
	else call.err(`${id} stays in the archive:\n${done.failures.map((message) => `  ${visible(message)}\n`).join('')}`);
	return done.ok;
}
