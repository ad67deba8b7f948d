import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { setInManifest } from '../../src/queue/edit-manifest.ts';

const written = `# why this exists
task_id:   t1   # the id
goal: >
  Something
  long

group: old  # who it belongs to
scope: { allow: [ src ] }   # tight
# the end
`;

test('a changed group leaves every other byte as it was', () => {
	expect(setInManifest(written, 'group', 'new one')).toBe(written.replace('group: old', 'group: new one'));
	expect(setInManifest(written, 'group', '123')).toBe(written.replace('group: old', 'group: "123"'));
	expect(setInManifest(written, 'group', null)).toBe(written.replace('group: old  # who it belongs to', '# who it belongs to'));
	expect(setInManifest(written.replaceAll('\n', '\r\n'), 'group', 'new')).toBe(
		written.replace('group: old', 'group: new').replaceAll('\n', '\r\n'),
	);
});

test('a group that is taken away leaves the comment of its line', () => {
	expect(setInManifest('goal: x\ngroup: old # why', 'group', null)).toBe('goal: x\n# why');
	expect(setInManifest('goal: x\r\ngroup: "a # b" # why\r\n', 'group', null)).toBe('goal: x\r\n# why\r\n');
	expect(setInManifest('goal: x\ngroup:   # why\n', 'group', null)).toBe('goal: x\n# why\n');
	expect(setInManifest('goal: x\ngroup: "a # b"\n', 'group', null)).toBe('goal: x\n');
});

test('a group that was not there is written behind the goal', () => {
	const without = 'task_id: t1\ngoal: |\n  a\n  b\nscope:\n  allow: [x] # c\n';
	expect(setInManifest(without, 'group', 'g')).toBe('task_id: t1\ngoal: |\n  a\n  b\ngroup: g\nscope:\n  allow: [x] # c\n');
	expect(setInManifest('goal: x', 'group', 'g')).toBe('goal: x\ngroup: g\n');
	expect(setInManifest(without, 'group', null)).toBe(without);
});

test('a group without a value, and spellings that are rare, are changed too', () => {
	expect(setInManifest('goal: x\ngroup:\n', 'group', 'g')).toBe('goal: x\ngroup: g\n');
	for (const rare of [
		'{task_id: t, goal: g, group: a} # c\n',
		'goal: &g x\ngroup: *g # c\n',
		'"group": a # c\ngoal: x\n',
		'group: "a\n  b" # c\ngoal: x\n',
	]) {
		const set = setInManifest(rare, 'group', 'new')!;
		expect(parse(set)).toEqual({ ...parse(rare), group: 'new' });
		expect(set).toContain('# c');
		expect(parse(setInManifest(rare, 'group', null)!)).not.toHaveProperty('group');
	}
	expect(setInManifest('group: &g a\ngoal: *g\n', 'group', 'new')).toBeNull();
});
