import { ExitCode } from '../contract/exit-code.ts';
import type { PacketStatus } from '../contract/words.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { isStillInvalid } from '../queue/found-invalid.ts';
import { entryOf } from '../queue/packet-index.ts';
import { reviewWord } from '../queue/review-word.ts';
import { nextWords } from '../report/stage-words.ts';
import { type Command, flag, jsonOption, number, UsageError } from './command.ts';
import { printJson } from './print-json.ts';
import { packetOf } from './project-of.ts';
import { released } from './released.ts';
import { ownerOf, reviewEnded } from './review-ended.ts';
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
		const deadline = timeoutSec === undefined ? null : performance.now() + timeoutSec * 1000;
		const left = () => (deadline === null ? null : Math.max(0, deadline - performance.now()));
		const owner = ownerOf(names.lock);
		if (!((await released(names.lock, left())) && (await reviewEnded(names, owner, left())))) {
			const next = `wait: dispatch wait ${id}`;
			if (flag(call, 'json')) printJson(call, { task_id: id, status: 'in_progress', exit_code: ExitCode.locked, next_action: next });
			call.err(`${id} still runs after ${timeoutSec} s\n`);
			return ExitCode.locked;
		}
		const end = endOf(names);
		if (end === null) throw new UsageError(`${id} has never run; ${await howToStart(call.root, id)}`);
		const { status, exitCode, next, died } = end;
		if (flag(call, 'json')) printJson(call, { task_id: id, status, exit_code: exitCode, next_action: next });
		else call.out(`${id} ${status}\n  next: ${nextWords(redactorOf(names)(next), id)}\n`);
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
	const review = status === 'completed' && entryOf(root, id)?.createReview ? reviewWord(root, id) : null;
	const next = review?.nextAction ?? finished?.next_action ?? `continue: dispatch run ${id} continues where it stopped`;
	return { status, exitCode: finished?.exit_code ?? ExitCode.interrupted, next, died: finished === null };
}

async function howToStart(root: string, id: string): Promise<string> {
	const [{ blockedWord }, { indexPackets }] = await Promise.all([import('../queue/blocked-word.ts'), import('../queue/packet-index.ts')]);
	return blockedWord(indexPackets(root), id) ?? `start it with: dispatch run ${id}`;
}
