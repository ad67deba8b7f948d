import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { readYaml } from '../config/read-yaml.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { sync, writeWhole } from '../packet/disk.ts';
import { acquireLock } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { setInManifest } from '../queue/edit-manifest.ts';
import { renderComplaints } from '../report/complaints.ts';
import { ungrouped } from '../report/listings.ts';
import { hidden } from '../report/visible.ts';
import { type Call, type Command, text, UsageError } from './command.ts';
import { lockedText } from './locked-text.ts';
import { packetOf } from './project-of.ts';
import { shownProblems } from './shown-problems.ts';

export const command: Command = {
	name: 'edit',
	summary: "Changes a packet's group; all else in its manifest stays as it was typed.",
	usage: '<id> --group G',
	options: { group: { type: 'string', value: 'G', help: 'the group it belongs to; "" for none' } },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch edit fix-login --group login-rework', 'dispatch edit fix-login --group ""'],
	run: async (call) => {
		const group = text(call, 'group')?.trim();
		if (group === undefined) throw new UsageError('say what to change: --group G, or --group "" for none');
		checkGroup(group);
		const id = packetOf(call, call.args[0]!);
		const names = packetNames(call.root, id);
		// A servant's changes are told from the user's by what changed while it ran: the manifest must stand still meanwhile.
		const now = new Date().toISOString();
		const lock = acquireLock({ file: names.lock, self: ownIdentity(), command: `dispatch edit ${id}`, now, liveness: sameProcessAlive });
		if (!lock.ok) {
			call.err(`${lockedText(id, lock.failures[0])}; edit it when that run has ended\n`);
			return ExitCode.locked;
		}
		try {
			return await setGroup(call, names, group);
		} finally {
			lock.value.release();
		}
	},
};

async function setGroup(call: Call, names: PacketNames, group: string): Promise<number> {
	const bytes = readBytes(names.manifest, 4 * 1024 * 1024);
	if (bytes === null) throw new UsageError(`${relative(call.root, names.manifest)} cannot be read`);
	const { value, complaints } = readYaml(bytes, relative(call.root, names.manifest));
	if (value === undefined || complaints.length > 0) {
		call.err(`${renderComplaints(shownProblems(call.root, complaints))}\n`);
		return ExitCode.invalid;
	}
	const written = setInManifest(bytes.toString('utf8'), 'group', group === '' ? null : group);
	if (written === null) throw new UsageError(`the group in ${relative(call.root, names.manifest)} can only be changed by hand`);
	writeWhole(names.manifest, written, statSync(names.manifest).mode & 0o777);
	await sync([names.manifest, names.dir]);
	call.out(group === '' ? `${names.id} is in no group\n` : `${names.id} is in group ${group}\n`);
	return ExitCode.completed;
}

/** A group is a word on one line of a listing. */
export function checkGroup(group: string): void {
	if (group.length > 100) throw new UsageError('a group has at most 100 characters');
	if (group === ungrouped)
		throw new UsageError(`"${ungrouped}" is what listings call those in no group; --group "" takes a packet out of its group`);
	if (new RegExp(hidden().source, 'u').test(group)) throw new UsageError('a group is one line of visible characters');
}
