import { type Command, UsageError } from './command.ts';
import { packetOf } from './project-of.ts';
import { listenerOptions } from './run-console.ts';
import { runIds } from './run-packets.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'retry',
	summary: 'Runs the failed stages of a packet anew, with fresh retry counters. What it was given (flags) is kept.',
	usage: '<id>',
	options: listenerOptions,
	positionals: { min: 1, max: 1 },
	examples: ['dispatch retry fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const { status } = standingOf(call.root, id);
		if (status === 'completed') throw new UsageError(`${id} is completed; to run it again: dispatch run ${id} --fresh`);
		if (status === 'pending') throw new UsageError(`${id} has not run yet: dispatch run ${id}`);
		return runIds(call, [id], {});
	},
};
