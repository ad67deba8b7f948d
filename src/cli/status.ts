import { ExitCode } from '../contract/exit-code.ts';
import { suggest } from '../contract/suggest.ts';
import { findPacket } from '../packet/find-packet.ts';
import { renderStatus, ungrouped } from '../report/listings.ts';
import { type Call, type Command, flag, jsonOption, UsageError } from './command.ts';
import { type ListedPacket, listedPackets, listingOptions, packetFields } from './packet-rows.ts';
import { printJson } from './print-json.ts';

export const command: Command = {
	name: 'status',
	summary: 'Lists packets by group: what is completed (✓), runs (→), waits (○) or needs a look (✗).',
	usage: '[group] [--json]',
	options: jsonOption,
	positionals: { min: 0, max: 1 },
	examples: ['dispatch status', 'dispatch status login-rework', "dispatch status '(ungrouped)'"],
	run: async (call) => {
		const all = listedPackets(call.root);
		const shown = call.args[0] === undefined ? all : chosen(call, all, call.args[0]);
		if (flag(call, 'json')) printJson(call, { packets: shown.map(packetFields) });
		else
			call.out(
				`${renderStatus(
					shown.map(({ row }) => row),
					listingOptions(call),
				)}\n`,
			);
		return ExitCode.completed;
	},
};

/** A group's packets; where no group has that name, the packet that has. */
function chosen(call: Call, all: readonly ListedPacket[], wanted: string): ListedPacket[] {
	const members = all.filter(({ row }) => (row.group || ungrouped) === wanted);
	if (members.length > 0) return members;
	const found = findPacket(call.root, wanted);
	if (found.ok) return all.filter(({ row }) => row.id === found.value);
	const near = suggest(wanted, new Set(all.flatMap(({ row }) => (row.group ? [row.group] : []))));
	throw new UsageError(`there is no group "${wanted}"${near === null ? '' : `; did you mean "${near}"?`}`);
}
