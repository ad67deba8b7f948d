import { ExitCode } from '../contract/exit-code.ts';
import { renderNext } from '../report/listings.ts';
import { type Command, flag, jsonOption } from './command.ts';
import { listedPackets, listingOptions, packetFields } from './packet-rows.ts';
import { printJson } from './print-json.ts';

export const command: Command = {
	name: 'next',
	summary: 'Lists pending packets that can run now, in the order they would run.',
	usage: '[--all] [--json]',
	options: { all: { type: 'boolean', help: 'those that are blocked by dependencies too' }, ...jsonOption },
	positionals: { min: 0, max: 0 },
	examples: ['dispatch next', 'dispatch next --all'],
	run: async (call) => {
		const pending = listedPackets(call.root).filter(({ row }) => row.status === 'pending');
		const all = flag(call, 'all');
		if (flag(call, 'json')) {
			const shown = pending.filter(({ row }) => all || row.blockedBy.length === 0);
			const blocked = pending.filter(({ row }) => row.blockedBy.length > 0).length;
			printJson(call, { packets: shown.map(packetFields), blocked });
		} else {
			const rows = pending.map(({ row }) => row);
			call.out(`${renderNext(rows, { ...listingOptions(call), all })}\n`);
		}
		return ExitCode.completed;
	},
};
