import type { PacketStatus } from '../contract/words.ts';
import { counted, monthDay } from './amounts.ts';
import { type Colour, makeColour } from './colour.ts';
import { cut, pad, width } from './columns.ts';
import { visibleLine } from './visible.ts';

/** A packet as the listings know it. Rows come in the order they are shown: oldest first. */
export interface PacketRow {
	readonly id: string;
	readonly goal: string;
	readonly group: string | null;
	/** The task type, or the intent of a packet without one. */
	readonly type: string;
	readonly status: PacketStatus;
	readonly verdict: string | null;
	/** What it waits for: ids that are not completed. */
	readonly blockedBy: readonly string[];
	readonly updated: string | null;
	readonly created: string | null;
}

export interface ListingOptions {
	/** null: as wide as it gets. */
	readonly columns?: number | null;
	readonly colour?: boolean;
}

export const ungrouped = '(ungrouped)';

/**
 *     Group: tarantino-v2
 *       ✓ it-plan    Plan ImageTransform system          completed  12/13
 *       → it-impl    Implement ImageTransform            in_progress
 *       ○ it-review  Review ImageTransform impl          pending (blocked by it-impl)
 */
export function renderStatus(rows: readonly PacketRow[], options: ListingOptions = {}): string {
	if (rows.length === 0) return 'No packets yet. Make one with: dispatch add';
	const paint = makeColour(options.colour ?? false);
	return [...grouped(rows)]
		.map(([group, members]) =>
			[group === ungrouped ? group : `Group: ${visibleLine(group)}`, ...statusLines(members, options, paint)].join('\n'),
		)
		.join('\n\n');
}

function statusLines(rows: readonly PacketRow[], { columns = null }: ListingOptions, paint: Colour): string[] {
	const idColumns = Math.max(...rows.map((row) => width(visibleLine(row.id))));
	const states = rows.map(stateWords);
	const longest = Math.max(34, ...rows.map((row) => width(visibleLine(row.goal))));
	const room = columns === null ? 100 : columns - idColumns - 8 - Math.max(...states.map(width));
	const goalColumns = Math.min(longest, Math.max(20, room));
	return rows.map((row, at) => {
		const goal = pad(cut(visibleLine(row.goal), goalColumns), goalColumns);
		return `  ${symbolOf(row.status, paint)} ${pad(visibleLine(row.id), idColumns)}  ${goal}  ${states[at]}`.trimEnd();
	});
}

function symbolOf(status: PacketStatus, paint: Colour): string {
	if (status === 'completed') return paint.green('✓');
	if (status === 'in_progress') return paint.cyan('→');
	return status === 'pending' ? '○' : paint.red('✗');
}

function stateWords(row: PacketRow): string {
	const date = row.status === 'completed' && row.updated !== null ? monthDay(row.updated) : '';
	const blocked = row.status === 'pending' ? blockedWords(row) : '';
	return [`${row.status}${blocked}`, date, visibleLine(row.verdict ?? '')].filter((part) => part !== '').join('  ');
}

const blockedWords = (row: PacketRow): string =>
	row.blockedBy.length === 0 ? '' : ` (blocked by ${row.blockedBy.map(visibleLine).join(', ')})`;

/** `tarantino-v2      3 tasks (1 pending, 1 in_progress, 1 completed)` */
export function renderGroups(rows: readonly PacketRow[]): string {
	if (rows.length === 0) return 'No packets yet. Make one with: dispatch add';
	const groups = [...grouped(rows)].map(([group, members]) => ({ name: visibleLine(group), group, members }));
	const columns = Math.max(18, ...groups.map(({ name }) => width(name) + 2));
	return groups
		.map(
			({ name, group, members }) =>
				`${pad(name, columns)}${counted(members.length, 'task')}${group === ungrouped ? '' : ` (${tally(members)})`}`,
		)
		.join('\n');
}

const tallied: readonly PacketStatus[] = ['pending', 'in_progress', 'completed', 'failed', 'needs_human', 'interrupted', 'invalid'];

function tally(rows: readonly PacketRow[]): string {
	return tallied
		.map((status) => [rows.filter((row) => row.status === status).length, status] as const)
		.filter(([n]) => n > 0)
		.map(([n, status]) => `${n} ${status}`)
		.join(', ');
}

/** Of packets that are still to be run those that can, and how many cannot; with `all`, those too and what blocks them. */
export function renderNext(
	rows: readonly PacketRow[],
	{ all = false, columns = null }: ListingOptions & { readonly all?: boolean } = {},
): string {
	const blocked = rows.filter((row) => row.blockedBy.length > 0);
	const shown = all ? rows : rows.filter((row) => row.blockedBy.length === 0);
	const idColumns = Math.max(0, ...shown.map((row) => width(visibleLine(row.id))));
	const lines = shown.map((row) => {
		const stands = `${row.status === 'interrupted' ? ' (interrupted)' : ''}${blockedWords(row)}`;
		const head = `${pad(visibleLine(row.id), idColumns)}  [${visibleLine(row.type)}] `;
		const room = columns === null ? 160 : columns - width(head) - width(stands);
		return `${head}${cut(visibleLine(row.goal), Math.max(20, room))}${stands}`;
	});
	if (lines.length === 0) lines.push(blocked.length === 0 ? 'No pending tasks.' : 'No task can run now.');
	return all || blocked.length === 0
		? lines.join('\n')
		: `${lines.join('\n')}\n\n(${counted(blocked.length, 'task')} blocked by dependencies)`;
}

/** By group, in order of appearance; those without one at the end. */
function grouped(rows: readonly PacketRow[]): Map<string, PacketRow[]> {
	const groups = new Map<string, PacketRow[]>();
	const of = (row: PacketRow) => row.group || ungrouped;
	for (const row of [...rows.filter((row) => row.group), ...rows.filter((row) => !row.group)])
		groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
	return groups;
}
