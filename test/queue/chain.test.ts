import { expect, test } from 'vitest';
import { parseManifest } from '../../src/config/load-manifest.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';
import { blockersOf, chainComplaints, inOrder, isOpen, mapOf } from '../../src/queue/chain.ts';
import type { PacketEntry } from '../../src/queue/packet-index.ts';
import { entry as anyEntry } from './entries.ts';

const entry = (id: string, dependsOn: string[] = [], more: Partial<PacketEntry> = {}) => anyEntry(id, { dependsOn, ...more });

function complaintsOf(entries: readonly PacketEntry[], id: string, more: string): string {
	const loaded = parseManifest(`task_id: ${id}\ngoal: G\ntask_type: task\n${more}`, 'manifest.yaml', id);
	if (!loaded.ok) throw new Error(loaded.failures[0].message);
	return chainComplaints(entries, loaded.value, id).map(renderComplaint).join('\n');
}

test('a dependency that does not exist is pointed at, with the one that was probably meant', () => {
	expect(complaintsOf([entry('it-plan'), entry('x')], 'x', 'based_on: it-paln\ndepends_on: [it-plan, nowhere]\n')).toBe(
		[
			'manifest.yaml:4:11  error  there is no packet "it-paln"; did you mean "it-plan"?',
			'    4 | based_on: it-paln',
			'      |           ^',
			'manifest.yaml:5:23  error  there is no packet "nowhere"',
			'    5 | depends_on: [it-plan, nowhere]',
			'      |                       ^',
		].join('\n'),
	);
});

test('a cycle is shown as a path', () => {
	const entries = [entry('a', ['b']), entry('b', ['d', 'c']), entry('c', ['a']), entry('d')];
	expect(complaintsOf(entries, 'a', 'depends_on:\n  - d\n  - b\n')).toBe(
		[
			'manifest.yaml:6:5  error  a dependency cycle: a → b → c → a', //
			'    6 |   - b',
			'      |     ^',
		].join('\n'),
	);
	expect(complaintsOf(entries, 'x', 'depends_on: d\n')).toBe('');
});

test('only completed dependencies unblock: not failed ones, not missing ones', () => {
	const entries = [
		entry('done', [], { status: 'completed' }),
		entry('broken', [], { status: 'failed' }),
		entry('x', ['done', 'broken', 'gone']),
		entry('y', ['done']),
		entry('dead', ['done'], { status: 'interrupted', orphaned: true }),
	];
	expect(blockersOf(entries, 'x')).toEqual([
		{ id: 'broken', status: 'failed' },
		{ id: 'gone', status: 'missing' },
	]);
	expect(blockersOf(entries, 'y')).toEqual([]);
});

test('to be run are packets that have not run, whose run died or was cut short, and what was interrupted before', () => {
	const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
	const entries = [
		entry('new'),
		entry('done', [], { status: 'completed' }),
		entry('broken', [], { status: 'failed' }),
		entry('dead', [], { status: 'interrupted', orphaned: true, updated: at(9) }),
		entry('short', [], { status: 'interrupted', cutShort: true, updated: at(9) }),
		entry('before', [], { status: 'interrupted', updated: at(1) }),
		entry('just-now', [], { status: 'interrupted', updated: at(9) }),
	];
	expect(entries.filter((one) => isOpen(one, at(5))).map(({ id }) => id)).toEqual(['new', 'dead', 'short', 'before']);
});

test('packets are put in dependency order, else as they were given; cycles and long chains end', () => {
	const byId = mapOf([
		entry('a', ['b', 'c']),
		entry('b', ['c']),
		entry('c', ['far']),
		entry('far', ['d']),
		entry('d'),
		entry('e', ['e2']),
		entry('e2', ['e']),
	]);
	expect(inOrder(['a', 'z', 'b', 'c', 'd'], byId)).toEqual(['d', 'c', 'b', 'a', 'z']);
	expect(inOrder(['e', 'e2'], byId)).toEqual(['e2', 'e']);
	const long = mapOf(Array.from({ length: 20_000 }, (_, n) => entry(`p${n}`, n === 0 ? [] : [`p${n - 1}`])));
	expect(inOrder(['p19999', 'p0'], long)).toEqual(['p0', 'p19999']);
});
