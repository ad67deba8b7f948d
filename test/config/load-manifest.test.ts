import { expect, test } from 'vitest';
import { parseManifest } from '../../src/config/load-manifest.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';
import { text } from './project.ts';

const file = '.tmp/task/t1/manifest.yaml';
const problems = (source: string, id = 't1') => {
	const result = parseManifest(source, file, id);
	return result.ok ? '' : result.failures.map(renderComplaint).join('\n');
};

test('a manifest of three lines is enough, and each of its values knows where it stands', () => {
	const result = parseManifest('task_id: t1\ngoal: do it\nrouting: { intent: review_cross }\n', file, 't1');
	if (!result.ok) throw new Error('does not parse');
	expect(result.value.manifest).toEqual({ task_id: 't1', goal: 'do it', routing: { intent: 'review_cross' } });
	expect(result.value.source(['routing', 'intent'])).toBe('manifest.yaml:3:20');
	expect(result.value.locate(['goal'])).toEqual({ line: 2, col: 7 });
	expect(renderComplaint(result.value.complain(['routing', 'intent'], 'no such profile'))).toBe(
		`${file}:3:20  error  no such profile\n    3 | routing: { intent: review_cross }\n      |                    ^`,
	);
});

test('what every manifest needs is asked for at its first line', () => {
	expect(problems('# later\n')).toBe(
		text(`
		${file}:1:1  error  the key "task_id" is missing
		    1 | # later
		      | ^
		${file}:1:1  error  the key "goal" is missing
		    1 | # later
		      | ^
		${file}:1:1  error  one of "task_type" and "routing.intent" is needed
		    1 | # later
		      | ^
		`),
	);
});

test('what the schema cannot see is said together with what it sees', () => {
	const source = text(`
		task_id: t2
		goal: "  "
		task_type: task
		same_branch: true
		created_at: yesterday
		depends_on: []
		budgets: { retry_budget: -1, max_wallclock_sec: 10.5 }
		security:
		  redaction_patterns:
		    - 'sk-[a-z'
		    - '(?=x)'
		    - fine
		scope: { allow: [""] }
	`);
	expect(problems(source)).toBe(
		text(`
		${file}:1:10  error  task_id is "t2", but the packet's directory is "t1"
		    1 | task_id: t2
		      |          ^
		${file}:2:7  error  "goal" is empty
		    2 | goal: "  "
		      |       ^
		${file}:4:14  error  same_branch needs "based_on" or "depends_on": it continues the branch of that packet
		    4 | same_branch: true
		      |              ^
		${file}:5:13  error  "yesterday" is not a time; write it like 2026-01-31T09:30:00Z
		    5 | created_at: yesterday
		      |             ^
		${file}:7:26  error  must be at least 0
		    7 | budgets: { retry_budget: -1, max_wallclock_sec: 10.5 }
		      |                          ^
		${file}:7:49  error  expected a whole number, got 10.5
		    7 | budgets: { retry_budget: -1, max_wallclock_sec: 10.5 }
		      |                                                 ^
		${file}:10:7  error  this is not a regular expression in RE2 syntax: missing closing ]: \`[a-z\`
		    10 |     - 'sk-[a-z'
		       |       ^
		${file}:11:7  error  this is not a regular expression in RE2 syntax: invalid or unsupported Perl syntax: \`(?=\`
		    11 |     - '(?=x)'
		       |       ^
		${file}:13:18  error  an entry of this list is empty
		    13 | scope: { allow: [""] }
		       |                  ^
		`),
	);
});

test.each([
	['based_on: t1', '4:11'],
	['depends_on: [t0, t1]', '4:18'],
])('a packet cannot depend on itself: %s', (line, place) => {
	expect(problems(`task_id: t1\ngoal: g\ntask_type: task\n${line}\n`)).toContain(
		`${file}:${place}  error  a packet cannot depend on itself`,
	);
});

test('sections that are left empty count as absent', () => {
	expect(problems('task_id: t1\ngoal: g\ntask_type: task\nrouting:\nbudgets:\n  max_steps:\nmodel: ""\n')).toBe('');
});
