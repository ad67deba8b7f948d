import { dirname } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import type { PacketStatus } from '../contract/words.ts';
import { lockOwner } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { pause } from '../process/pause.ts';
import { isStillInvalid } from '../queue/found-invalid.ts';
import { visibleLine } from '../report/visible.ts';
import { type Command, flag, jsonOption, number, UsageError } from './command.ts';
import { printJson } from './print-json.ts';
import { packetOf } from './project-of.ts';
import { redactorOf } from './shown-text.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'wait',
	summary: 'Waits until the run of a packet ends, and exits as it did.',
	usage: '<id> [--timeout SEC]',
	options: { ...jsonOption, timeout: { type: 'string', value: 'SEC', help: 'give up after so many seconds (exit 5: it still runs)' } },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch run fix-login --detach && dispatch wait fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const timeoutSec = number(call, 'timeout', { min: 0, whole: false });
		const names = packetNames(call.root, id);
		const ended = await released(names.lock, timeoutSec === undefined ? null : timeoutSec * 1000);
		if (!ended) {
			const next = `wait: dispatch wait ${id}`;
			if (flag(call, 'json')) printJson(call, { task_id: id, status: 'in_progress', exit_code: ExitCode.locked, next_action: next });
			call.err(`${id} still runs after ${timeoutSec} s\n`);
			return ExitCode.locked;
		}
		const end = endOf(names);
		if (end === null) throw new UsageError(`${id} has never run; ${await howToStart(call.root, id)}`);
		const { status, exitCode, next, died } = end;
		if (flag(call, 'json')) printJson(call, { task_id: id, status, exit_code: exitCode, next_action: next });
		else call.out(`${id} ${status}\n  next: ${visibleLine(redactorOf(names)(next)).replace(/^[a-z_]+: /, '')}\n`);
		if (died) call.err(`${id} was interrupted: its run ended without a word; dispatch run ${id} continues it\n`);
		return exitCode;
	},
};

/** How the last run ended: one that found the packet invalid left its word in the summary only, one that was killed none at all; null if there was none. */
function endOf(names: PacketNames): { status: PacketStatus; exitCode: number; next: string; died: boolean } | null {
	const { root, id } = names;
	if (isStillInvalid(names)) {
		const next = `fix_manifest: correct what dispatch validate ${id} tells, then dispatch run ${id}`;
		return { status: 'invalid', exitCode: ExitCode.invalid, next, died: false };
	}
	const { state, status } = standingOf(root, id);
	if (state.runs === 0) return null;
	const { finished } = state;
	const next = finished?.next_action ?? `continue: dispatch run ${id} continues where it stopped`;
	return { status, exitCode: finished?.exit_code ?? ExitCode.interrupted, next, died: finished === null };
}

async function howToStart(root: string, id: string): Promise<string> {
	const [{ blockedWord }, { indexPackets }] = await Promise.all([import('../queue/blocked-word.ts'), import('../queue/packet-index.ts')]);
	return blockedWord(indexPackets(root), id) ?? `start it with: dispatch run ${id}`;
}

/** Until nobody who could be alive holds the lock; false when that takes too long. */
export async function released(lock: string, timeoutMs: number | null): Promise<boolean> {
	const isFree = () => {
		const holder = lockOwner(lock, sameProcessAlive);
		return holder === null || holder.alive === 'dead';
	};
	if (isFree()) return true;
	const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
	// The kernel says when the lock goes; that its owner died without removing it only a look can tell.
	const { watch } = await import('chokidar');
	const folder = watch(dirname(lock), { depth: 0, ignoreInitial: true, ignored: (path) => path !== lock && path !== dirname(lock) });
	try {
		for (;;) {
			const woken = new AbortController();
			const wake = () => woken.abort();
			folder.once('all', wake);
			await pause(Math.max(0, Math.min(500, deadline - performance.now())), woken.signal);
			folder.off('all', wake);
			if (isFree()) return true;
			if (performance.now() >= deadline) return false;
		}
	} finally {
		await folder.close();
	}
}
