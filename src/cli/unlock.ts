import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import { remove } from '../packet/disk.ts';
import { lockOwner } from '../packet/lock.ts';
import { packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { visibleLine } from '../report/visible.ts';
import { type Command, flag } from './command.ts';
import { packetOf } from './project-of.ts';

export const command: Command = {
	name: 'unlock',
	summary: 'Shows who holds a packet, and removes the lock of a run that is gone or was on another host.',
	usage: '<id> [--force]',
	options: { force: { type: 'boolean', help: 'even if the owner lives on this host' } },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch unlock fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const { lock } = packetNames(call.root, id);
		const before = readText(lock);
		if (before === null && existsSync(lock)) {
			call.err(`${relative(call.root, lock)} is no file of ours; look at it and remove it by hand\n`);
			return ExitCode.locked;
		}
		if (before === null) {
			call.out(`${id} is not locked\n`);
			return ExitCode.completed;
		}
		const found = lockOwner(lock, sameProcessAlive);
		call.out(`${id} is locked by ${found === null ? 'something that is no lock of ours' : ownerWords(found)}\n`);
		if (found?.alive === 'alive' && !flag(call, 'force')) {
			call.err(`not removed: its owner lives; dispatch stop ${id} ends it\n`);
			return ExitCode.locked;
		}
		// Another run may have taken it over while we looked.
		if (readText(lock) !== before) {
			call.err('not removed: the lock has changed hands meanwhile\n');
			return ExitCode.locked;
		}
		remove(lock);
		call.out(`unlocked; dispatch run ${id} continues it\n`);
		return ExitCode.completed;
	},
};

type Found = NonNullable<ReturnType<typeof lockOwner>>;

function ownerWords({ owner, alive }: Found): string {
	const standing = { alive: 'alive', dead: 'dead', unknown: 'cannot be looked at from here' }[alive];
	return visibleLine(`process ${owner.pid} on ${owner.host} since ${owner.since} (${standing}), called as "${owner.command}"`);
}
