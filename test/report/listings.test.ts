import { beforeEach, expect, test } from 'vitest';
import { type PacketRow, renderGroups, renderNext, renderStatus } from '../../src/report/listings.ts';

beforeEach(() => {
	process.env.TZ = 'UTC';
});

const row = (id: string, goal: string, change: Partial<PacketRow> = {}): PacketRow => ({
	id,
	goal,
	group: 'tarantino-v2',
	type: 'task',
	status: 'pending',
	verdict: null,
	blockedBy: [],
	updated: '2024-12-13T10:00:00Z',
	created: null,
	...change,
});

const chain = [
	row('it-plan', 'Plan ImageTransform system', { type: 'plan', status: 'completed' }),
	row('it-impl', 'Implement ImageTransform', { type: 'implement', status: 'in_progress' }),
	row('it-review', 'Review ImageTransform impl', { type: 'review', blockedBy: ['it-impl'] }),
];

test('status of a group looks like the seed', () => {
	expect(renderStatus(chain)).toBe(
		[
			'Group: tarantino-v2',
			'  ✓ it-plan    Plan ImageTransform system          completed  12/13',
			'  → it-impl    Implement ImageTransform            in_progress',
			'  ○ it-review  Review ImageTransform impl          pending (blocked by it-impl)',
		].join('\n'),
	);
});

test('verdicts, failures and the whole blocked tail are shown; packets without a group come last', () => {
	const rows = [
		row('lone', 'Fix stats bug', { group: null }),
		row('a', 'Build it', { group: 'g', status: 'failed' }),
		row('b', 'Review it', { group: 'g', blockedBy: ['a'] }),
		row('c', 'Improve it', { group: 'g', blockedBy: ['b', 'lone'] }),
		row('d', 'Review', { group: 'g', status: 'completed', verdict: 'APPROVED' }),
		row('e', 'Log in', { group: 'g', status: 'needs_human' }),
	];
	expect(renderStatus(rows)).toBe(
		[
			'Group: g',
			'  ✗ a  Build it                            failed',
			'  ○ b  Review it                           pending (blocked by a)',
			'  ○ c  Improve it                          pending (blocked by b, lone)',
			'  ✓ d  Review                              completed  12/13  APPROVED',
			'  ✗ e  Log in                              needs_human',
			'',
			'(ungrouped)',
			'  ○ lone  Fix stats bug                       pending',
		].join('\n'),
	);
});

test('goals are cut to the terminal and cannot act on it', () => {
	expect(renderStatus([row('a', `Say \x1b[2J\n${'x'.repeat(100)}`, { group: null })], { columns: 60 })).toBe(
		`(ungrouped)\n  ○ a  Say \\x1b[2J ${'x'.repeat(31)}…  pending`,
	);
});

test('groups are counted as in the seed', () => {
	const rows = [
		...chain,
		row('x', 'x', { group: 'auth-refactor' }),
		row('y', 'y', { group: 'auth-refactor' }),
		row('z', 'z', { group: null }),
		row('one', 'one', { group: 'one', status: 'invalid' }),
	];
	expect(renderGroups(rows)).toBe(
		[
			'tarantino-v2      3 tasks (1 pending, 1 in_progress, 1 completed)',
			'auth-refactor     2 tasks (2 pending)',
			'one               1 task (1 invalid)',
			'(ungrouped)       1 task',
		].join('\n'),
	);
});

const queue = [
	row('it-plan', 'Design ImageTransform system', { type: 'plan' }),
	row('it-impl', 'Implement ImageTransform', { type: 'implement', blockedBy: ['it-plan'] }),
	row('stats', 'Fix stats bug'),
	row('it-review', 'Review ImageTransform', { type: 'review', blockedBy: ['it-impl'] }),
];

test('next shows what can run and how much cannot', () => {
	expect(renderNext(queue)).toBe(
		['it-plan  [plan] Design ImageTransform system', 'stats    [task] Fix stats bug', '', '(2 tasks blocked by dependencies)'].join('\n'),
	);
	expect(renderNext(queue.slice(0, 2))).toMatch(/\n\n\(1 task blocked by dependencies\)$/);
	expect(renderNext(queue.slice(1, 2))).toBe('No task can run now.\n\n(1 task blocked by dependencies)');
});

test('next --all shows the blocked ones too', () => {
	expect(renderNext(queue, { all: true })).toBe(
		[
			'it-plan    [plan] Design ImageTransform system',
			'it-impl    [implement] Implement ImageTransform (blocked by it-plan)',
			'stats      [task] Fix stats bug',
			'it-review  [review] Review ImageTransform (blocked by it-impl)',
		].join('\n'),
	);
});

test('next marks what was interrupted', () => {
	expect(renderNext([row('a', 'Do it', { status: 'interrupted' })])).toBe('a  [task] Do it (interrupted)');
});

test('an empty project says how to begin', () => {
	expect(renderStatus([])).toBe('No packets yet. Make one with: dispatch add');
	expect(renderGroups([])).toBe('No packets yet. Make one with: dispatch add');
	expect(renderNext([])).toBe('No pending tasks.');
});
