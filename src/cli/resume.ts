import { type Command, UsageError } from './command.ts';
import { packetOf } from './project-of.ts';
import { listenerOptions } from './run-console.ts';
import { runIds } from './run-packets.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'resume',
	summary: "Continues the servant's own session of a stage that was stopped, where it has one; else runs the stage anew.",
	usage: '<id>',
	options: listenerOptions,
	positionals: { min: 1, max: 1 },
	examples: ['dispatch resume fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		if (standingOf(call.root, id).status === 'completed') throw new UsageError(`${id} is completed; there is nothing to continue`);
		return runIds(call, [id], { resume: true });
	},
};
