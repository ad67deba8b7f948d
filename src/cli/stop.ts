import { ExitCode } from '../contract/exit-code.ts';
import type { LockFile } from '../contract/state-files.ts';
import { acquireLock, lockOwner } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { sizeOf } from '../packet/read.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { stopOrphans } from '../run/stop-orphans.ts';
import { type Call, type Command, flag } from './command.ts';
import { lockedText } from './locked-text.ts';
import { packetOf } from './project-of.ts';
import { released } from './released.ts';

export const command: Command = {
	name: 'stop',
	summary: 'Ends the run of a packet and its servants; if the run is gone, the servants it left.',
	usage: '<id> [--now]',
	options: { now: { type: 'boolean', help: 'without a grace period' } },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch stop fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const names = packetNames(call.root, id);
		const found = lockOwner(names.lock, sameProcessAlive);
		if (found?.alive === 'unknown') {
			call.err(`${lockedText(id, { owner: found.owner, alive: 'unknown' })}\n`);
			return ExitCode.locked;
		}
		if (found?.alive === 'alive' && !(await stopOwner(names, found.owner, flag(call, 'now')))) {
			call.err(`process ${found.owner.pid} has not ended; it may be stuck on the disk. Look at it, or end it by hand.\n`);
			return ExitCode.failed;
		}
		// Also after a run that ended in good order: it may have been killed before it was done.
		return sizeOf(names.journal) === null ? say(call, `${id} does not run`) : stopLeft(call, names, found?.alive === 'alive');
	},
};

/** SIGTERM, and a second one (at once) when the first takes longer than the run's own grace period. */
async function stopOwner({ lock }: PacketNames, owner: LockFile, now: boolean): Promise<boolean> {
	const signal = () => {
		if (sameProcessAlive(owner) === 'alive') process.kill(owner.pid, 'SIGTERM');
	};
	signal();
	// Two signals sent at once would be one.
	if (await released(lock, now ? 100 : 20_000)) return true;
	signal();
	return released(lock, 30_000);
}

async function stopLeft(call: Call, names: PacketNames, stopped: boolean): Promise<number> {
	const { id } = names;
	const now = new Date().toISOString();
	const taken = acquireLock({ file: names.lock, self: ownIdentity(), command: `dispatch stop ${id}`, now, liveness: sameProcessAlive });
	if (!taken.ok) {
		call.err(`${lockedText(id, taken.failures[0])}\n`);
		return ExitCode.locked;
	}
	try {
		const { ended, survivors, elsewhere } = await stopOrphans(names, taken.value);
		if (elsewhere.length > 0) call.err(`${elsewhere.join(', ')}: its servant was started on another machine, if it lives it lives there\n`);
		if (survivors.length > 0) {
			call.err(`could not be ended: process ${survivors.join(', ')}\n`);
			return ExitCode.failed;
		}
		if (ended.length > 0) return say(call, `${id}: ended ${ended.join(', ')}, left by a run that is gone`);
		return say(call, stopped ? `${id} stopped; dispatch run ${id} continues it` : `${id} does not run`);
	} finally {
		taken.value.release();
	}
}

function say(call: Call, text: string): number {
	call.out(`${text}\n`);
	return ExitCode.completed;
}
