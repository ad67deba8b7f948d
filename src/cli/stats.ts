import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { ExitCode } from '../contract/exit-code.ts';
import { archivedIds, packetIds } from '../packet/find-packet.ts';
import { readJournal } from '../packet/journal-file.ts';
import { archiveDir, type PacketNames, packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { statsRows } from '../report/stats-rows.ts';
import { renderStats } from '../report/stats-table.ts';
import { type Command, flag, jsonOption } from './command.ts';
import { printJson } from './print-json.ts';
import { windowColumns } from './stdio.ts';

export const command: Command = {
	name: 'stats',
	summary: 'Calls, success rate, latency, steps, tokens and cost per servant, role and model, over all packets, archived ones included.',
	usage: '[--json]',
	options: jsonOption,
	positionals: { min: 0, max: 0 },
	examples: ['dispatch stats', 'dispatch stats --json'],
	run: async (call) => {
		const live = packetIds(call.root).map((id) => packetNames(call.root, id));
		const archived = archivedIds(call.root).map((id) => packetNames(call.root, id, join(archiveDir(call.root), id)));
		const document = statsRows([...live, ...archived].flatMap(metasOf));
		if (flag(call, 'json')) printJson(call, document);
		else call.out(`${renderStats(document, { columns: windowColumns() })}\n`);
		return ExitCode.completed;
	},
};

/** Every finished attempt of the journal; of a packet older than its journal what lies in its outputs. */
function metasOf(names: PacketNames): unknown[] {
	const metas = readJournal(names.journal).flatMap((event) => (event.type === 'stage_finished' ? [event.meta] : []));
	return metas.length > 0 ? metas : metaFiles(names.outputs);
}

function metaFiles(dir: string): unknown[] {
	return fastGlob.sync('*.meta.json', { cwd: dir, absolute: true }).flatMap((file) => parsed(readText(file, 1024 * 1024)));
}

function parsed(text: string | null): unknown[] {
	try {
		return text === null ? [] : [JSON.parse(text)];
	} catch {
		return [];
	}
}
