import { ExitCode } from '../contract/exit-code.ts';
import { isOpen } from '../queue/chain.ts';
import { renderNext } from '../report/listings.ts';
import { type Command, flag, jsonOption } from './command.ts';
import { listedPackets, listingOptions, packetFields } from './packet-rows.ts';
import { printJson } from './print-json.ts';

export const command: Command = {
	name: 'next',
	summary: 'Lists packets that can run now, pending or interrupted, in the order `dispatch work` would run them.',
	usage: '[--all] [--json]',
	options: { all: { type: 'boolean', help: 'those that are blocked by dependencies too' }, ...jsonOption },
	positionals: { min: 0, max: 0 },
	examples: ['dispatch next', 'dispatch next --all'],
	run: async (call) => {
		const now = new Date().toISOString();
		const open = listedPackets(call.root).filter(({ entry, row }) => row.status !== 'invalid' && isOpen(entry, now));
		const all = flag(call, 'all');
		if (flag(call, 'json')) {
			const shown = open.filter(({ row }) => all || row.blockedBy.length === 0);
			const blocked = open.filter(({ row }) => row.blockedBy.length > 0).length;
			printJson(call, { packets: shown.map(packetFields), blocked });
		} else {
			const rows = open.map(({ row }) => row);
			call.out(`${renderNext(rows, { ...listingOptions(call), all })}\n`);
		}
		return ExitCode.completed;
	},
};
