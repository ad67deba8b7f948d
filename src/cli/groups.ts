import { ExitCode } from '../contract/exit-code.ts';
import { type PacketRow, renderGroups } from '../report/listings.ts';
import { type Command, flag, jsonOption } from './command.ts';
import { listedPackets } from './packet-rows.ts';
import { printJson } from './print-json.ts';

export const command: Command = {
	name: 'groups',
	summary: 'Lists groups and how their packets stand.',
	usage: '[--json]',
	options: jsonOption,
	positionals: { min: 0, max: 0 },
	examples: ['dispatch groups'],
	run: async (call) => {
		const rows = listedPackets(call.root).map(({ row }) => row);
		if (flag(call, 'json')) printJson(call, { groups: counted(rows) });
		else call.out(`${renderGroups(rows)}\n`);
		return ExitCode.completed;
	},
};

/** `group` is null for the packets without one. */
function counted(rows: readonly PacketRow[]) {
	const groups = new Map<string | null, Record<string, number>>();
	for (const { group, status } of rows) {
		const counts = groups.get(group || null) ?? {};
		groups.set(group || null, { ...counts, [status]: (counts[status] ?? 0) + 1 });
	}
	return [...groups]
		.map(([group, counts]) => ({ group, tasks: Object.values(counts).reduce((sum, n) => sum + n, 0), counts }))
		.sort((a, b) => Number(a.group === null) - Number(b.group === null));
}
