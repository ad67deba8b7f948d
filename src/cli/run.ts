import { type Command, flag, routingOptions, text, UsageError } from './command.ts';
import { flagsOf, packetOf } from './project-of.ts';
import { listenerOptions } from './run-console.ts';
import { runIds } from './run-packets.ts';

export const command: Command = {
	name: 'run',
	summary: 'Runs packets to their end, or continues them: finished stages are not paid again.',
	usage: '<id>… [--from STAGE] [--fresh] [--wait] [--detach]',
	options: {
		...routingOptions,
		...listenerOptions,
		from: { type: 'string', value: 'STAGE', help: 'run this stage and all that need it again' },
		fresh: { type: 'boolean', help: 'run all stages again' },
		wait: { type: 'boolean', help: 'wait for a rate limit however long it takes' },
		detach: { type: 'boolean', help: 'run in the background and return at once' },
	},
	positionals: { min: 1, max: 1000 },
	examples: [
		'dispatch run fix-login',
		'dispatch run fix-login --from codex_review',
		'dispatch run fix-login --detach && dispatch wait fix-login',
	],
	run: async (call) => {
		const from = text(call, 'from');
		if (from !== undefined && flag(call, 'fresh')) throw new UsageError('--from and --fresh exclude each other');
		const ids = [...new Set(call.args.map((wanted) => packetOf(call, wanted)))];
		if (from !== undefined && ids.length > 1) throw new UsageError('--from takes one packet');
		if (flag(call, 'detach')) return (await import('./detach.ts')).runDetached(call, ids);
		const again = flag(call, 'fresh') ? 'all' : from === undefined ? null : { from };
		return runIds(call, ids, { flags: flagsOf(call), again, wait: flag(call, 'wait') });
	},
};
