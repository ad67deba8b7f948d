import { describe, expect, test } from 'vitest';
import { Plan } from '../../src/contract/plan.ts';
import { answers, Rig, say } from '../rig.ts';

/** A repository with one valid and one broken packet, and a servant of its own. */
async function project(): Promise<Rig> {
	const rig = await Rig.create();
	await rig.textServant('mine', say(answers.review!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\ntask_providers:\n  plan: codex\n');
	await rig.packet('good', { task_type: 'review' }, { 'context_pack.md': '# Goal\nKeep it.\n# Other\nDrop it.\n' });
	await rig.write('.tmp/task/bad/manifest.yaml', 'task_id: bad\ngoal: g\ntask_type: reviw\nbudgets:\n  paid_call_budgett: 3\n');
	return rig;
}

describe('exit codes of commands that only look', () => {
	const table: [args: string, exit: number, says: string][] = [
		['plan good', 0, 'good: profile review of group task, 1 stage, workspace inplace'],
		['plan go', 0, 'good: profile review'],
		['plan good --explain mine_review', 0, 'model = -'],
		['plan good --explain nope', 2, 'dispatch: there is no stage "nope"; known: mine_review'],
		['plan good --provider nope', 2, '--provider  error  unknown servant "nope"'],
		['plan nope', 2, 'dispatch: there is no packet "nope" (.tmp/task/nope/manifest.yaml)'],
		[
			'plan bad',
			3,
			'.tmp/task/bad/manifest.yaml:5:3  error  unknown key "paid_call_budgett"; did you mean "paid_call_budget"?\n    5 |   paid_call_budgett: 3\n      |   ^',
		],
		['plan good -C nope', 2, 'dispatch: there is no directory "nope"'],
		['-C configs/dispatch.yaml status', 2, 'dispatch: there is no directory "configs/dispatch.yaml"'],
		['validate good', 0, 'good: valid\n'],
		['validate bad', 3, 'bad: 2 errors\n'],
		['validate', 3, 'configuration, templates and 2 packets: 2 errors\n'],
		['config provider', 0, 'provider  mine   configs/dispatch.yaml:1:11'],
		['config dispatch.task_providers', 0, 'task_providers.plan  codex  configs/dispatch.yaml:3:9'],
		['config providers.codex.model', 0, 'servant.codex.default_model'],
		['config task_types', 0, '"task_types" is not set\n'],
		['config providers.codex.max_steps', 0, '"providers.codex.max_steps" is not set\n'],
		['config servant.nobody.max_steps', 2, 'dispatch: "servant.nobody.max_steps" is not set'],
		['config task_providers.pln', 2, 'dispatch: "task_providers.pln" is not set; did you mean "task_providers.plan"?'],
		['config providr', 2, 'dispatch: "providr" is not set; did you mean "provider"?'],
		['compose good mine_review', 0, 'Goal of good'],
		['compose good codex_review', 2, 'there is no stage "codex_review"'],
		['digest good', 0, '# Goal\nKeep it.\n'],
		['digest bad', 2, 'dispatch: bad has no inputs/context_pack.md'],
		['show good', 0, '**pending**: Not started. Next: dispatch run good'],
		['logs good', 0, 'good has not run yet'],
		['logs good nope', 2, 'good has no stage "nope"'],
		['diff good', 0, 'good has changed nothing'],
		['stats', 0, 'No calls yet.'],
		['wait good', 2, 'good has never run; start it with: dispatch run good'],
		['wait good --timeout x', 2, '--timeout takes a number from 0 on, not "x"'],
		['stop good', 0, 'good does not run'],
		['unlock good', 0, 'good is not locked'],
		['budget good', 2, 'say what to set'],
		['help show', 0, 'Usage: dispatch show <id> [--json]'],
		['help shwo', 2, 'dispatch: there is no command "shwo"; did you mean "show"?'],
		['-C', 2, 'dispatch: -C takes a directory'],
		['budget bad --paid-calls 5', 3, 'unknown key "paid_call_budgett"'],
	];

	test('each as documented, with words that help, and nothing is written into a packet', async () => {
		await using rig = await project();
		const before = await rig.sh('find .tmp/task -name lock -o -type f -exec sha256sum {} +');
		for (const [args, exit, says] of table) {
			const ran = await rig.dispatch(...args.split(' '));
			expect({ args, exit: ran.exitCode, said: ran.stdout + ran.stderr }).toEqual({ args, exit, said: expect.stringContaining(says) });
		}
		expect(await rig.sh('find .tmp/task -name lock -o -type f -exec sha256sum {} +')).toEqual(before);
	});

	test('--json is one document, whatever is to be said', async () => {
		await using rig = await project();
		const commands = [
			'plan good',
			'plan bad',
			'plan good --explain mine_review',
			'validate',
			'config',
			'config --choices',
			'show good',
			'logs good',
			'diff good',
			'stats',
			'digest good',
			'compose good mine_review',
		];
		for (const args of commands) {
			const ran = await rig.dispatch(...args.split(' '), '--json');
			expect(() => JSON.parse(ran.stdout), args).not.toThrow();
		}
		expect(Plan.strict().safeParse(JSON.parse((await rig.dispatch('plan', 'good', '--json')).stdout)).error).toBe(undefined);
	});
});

test('a key that may be set and is not is null, with exit 0', async () => {
	await using rig = await Rig.create();
	const ran = await rig.dispatch('config', 'task_providers', '--json');
	expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toMatchObject({
		exitCode: 0,
		stdout: { values: [{ key: 'task_providers', value: null, source: null }], warnings: [] },
	});
});

test('an invalid packet shows all its problems as JSON', async () => {
	await using rig = await project();
	const { status, problems } = JSON.parse((await rig.dispatch('show', 'bad', '--json')).stdout);
	expect(status).toBe('invalid');
	expect(problems).toEqual(JSON.parse((await rig.dispatch('plan', 'bad', '--json')).stdout).problems);
	expect(problems).toHaveLength(2);
	expect(JSON.parse((await rig.dispatch('show', 'good', '--json')).stdout).problems).toEqual([]);
});

test('a cycle and a dependency that does not exist are invalid in every listing, before a run says so', async () => {
	await using rig = await project();
	await rig.sh('rm -r .tmp/task/bad');
	await rig.packet('a', { task_type: 'explore', depends_on: 'b' });
	await rig.packet('b', { task_type: 'explore', depends_on: 'a' });
	await rig.packet('lost', { task_type: 'explore', depends_on: 'nobody' });
	await rig.packet('after', { task_type: 'explore', depends_on: 'lost' });
	const listed = JSON.parse((await rig.dispatch('status', '--json')).stdout).packets as { task_id: string; status: string }[];
	expect(Object.fromEntries(listed.map((one) => [one.task_id, one.status]))).toEqual({
		a: 'invalid',
		b: 'invalid',
		lost: 'invalid',
		after: 'pending',
		good: 'pending',
	});
	expect((await rig.dispatch('status')).stdout).toMatch(/✗ lost .* invalid\n/);
	expect((await rig.dispatch('next', '--all')).stdout).not.toMatch(/^(a|b|lost) /m);
	expect((await rig.dispatch('show', 'a')).stdout).toContain('a dependency cycle: a → b → a');
	expect(JSON.parse((await rig.dispatch('show', 'lost', '--json')).stdout)).toMatchObject({
		status: 'invalid',
		problems: [{ message: 'there is no packet "nobody"' }],
	});
});

test('choices name every tool, model, profile, role, flag and option', async () => {
	await using rig = await project();
	const choices = JSON.parse((await rig.dispatch('config', '--choices')).stdout);
	expect(choices.task_types).toEqual(['task', 'explore', 'plan', 'implement', 'review', 'improve']);
	expect(Object.keys(choices.tools)).toEqual(['claude', 'codex', 'copilot', 'gemini', 'mine', 'replay']);
	expect(choices.tools.claude.models).toContain('sonnet');
	expect(choices.groups.review.profiles.review_cross.stages).toEqual(['gemini_review', 'codex_review', 'copilot_review_consolidate']);
	expect(choices.groups.impl).toMatchObject({ default_profile: 'safe_impl', flags: ['enable_brief', 'enable_verify', 'enable_review'] });
	expect(choices.groups.task.options.fix_rounds).toEqual([0, 1, 2, 3, 4, 5]);
	expect(choices.roles.review).toMatchObject({ access: 'read', verdict: true });
});

test('validate checks templates and profiles that no packet uses, and suggests task_providers', async () => {
	await using rig = await project();
	await rig.sh('rm -r .tmp/task/bad');
	await rig.write('templates/roles/review.md', 'Review it.\n');
	await rig.write('configs/pipeline/own.yaml', 'profiles:\n  odd:\n    stages: [mine_reviw]\n');
	for (const id of ['e1', 'e2', 'e3']) await rig.packet(id, { task_type: 'explore', provider: 'codex' });
	const { exitCode, stdout, stderr } = await rig.dispatch('validate');
	expect(exitCode).toBe(3);
	expect(stdout).toMatch(/^configuration, templates and 4 packets: \d+ errors, 1 warning\n$/);
	expect(stderr).toContain(
		'templates/roles/review.md  error  the gate of role review demands "Findings", but the template never asks for it',
	);
	expect(stderr).toContain(
		'configs/pipeline/own.yaml:3:14  error  profile "odd" of group own: stage "mine_reviw" has an unknown role "reviw"',
	);
	expect(stderr).toContain(
		'.tmp/task/e1/manifest.yaml:4:11  warning  3 explore packets set provider: codex by hand (e1, e2, e3); say it once in configs/dispatch.yaml: task_providers: { explore: codex }',
	);
});

test('after a run the plan says what has changed since; show, logs and stats tell what happened, made visible', async () => {
	await using rig = await project();
	await rig.textServant(
		'mine',
		`printf 'bell \\007 and key sk-ant-api03-%s\\n' "$(printf 'a%.0s' $(seq 93))AA" >&2\n${say(answers.review!)}`,
	);
	expect((await rig.dispatch('run', 'good')).exitCode).toBe(0);
	expect((await rig.dispatch('show', 'good')).stdout).toBe(await rig.summary('good'));
	expect(JSON.parse((await rig.dispatch('show', 'good', '--json')).stdout)).toMatchObject({
		task_id: 'good',
		status: 'completed',
		verdict: 'APPROVED',
		stages: [{ name: 'mine_review', status: 'passed', gate: 'passed' }],
		stats: { paid_calls_used: 1 },
		last_failure: null,
	});
	const logs = (await rig.dispatch('logs', 'good', 'mine_review')).stdout;
	expect(logs).toContain('--- err\nbell \\x07 and key [REDACTED]\n');
	expect(logs).toContain('--- wrapper_log\nservant: mine\n');
	expect((await rig.dispatch('logs', 'good')).stdout).toMatch(
		/ mine_review#1 passed in [\d.]+s, APPROVED\n.* run finished: completed, exit 0/,
	);
	expect(JSON.parse((await rig.dispatch('stats', '--json')).stdout).total).toMatchObject({ calls: 1, passed: 1 });
	expect((await rig.dispatch('plan', 'good')).stdout).not.toContain('warning:');

	await rig.write('.tmp/task/good/inputs/user_request.md', 'Something else.\n');
	expect((await rig.dispatch('plan', 'good')).stdout).toContain('warning: mine_review: inputs changed since this stage ran\n');
});

test('the composed prompt is byte for byte what a run sends', async () => {
	await using rig = await project();
	await rig.packet(
		'good',
		{ task_type: 'review', security: { redaction_patterns: ['tiger'] } },
		{ 'user_request.md': 'the tiger\tsleeps\n' },
	);
	await rig.textServant('mine', `cat > "$SEEN/prompt"\n${say(answers.review!)}`);
	expect(await rig.dispatch('compose', 'good', 'mine_review', '--out', 'prompt.md')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
	const composed = await rig.read('prompt.md');
	expect(composed).toContain('the [REDACTED]\tsleeps\n');
	await rig.sh('rm prompt.md');
	await rig.dispatch('run', 'good');
	expect(await rig.read('../seen/prompt')).toBe(composed);
});

test('diff shows what a packet changed, as a patch that applies', async () => {
	await using rig = await project();
	await rig.textServant('mine', `cat > /dev/null; printf 'two\\tthree\\n' > src/a.txt\n${say(answers.impl!)}`);
	await rig.packet('tree', { task_type: 'task', scope: { allow: ['src'] } });
	await rig.packet('here', { task_type: 'task', workspace: 'inplace', scope: { allow: ['src'] } });
	expect((await rig.dispatch('run', 'tree')).exitCode).toBe(0);
	const { stdout } = await rig.dispatch('diff', 'tree');
	expect(stdout).toContain('-one\n+two\tthree\n');
	await rig.write('../tree.patch', stdout);
	expect((await rig.sh('git apply --check ../tree.patch')).exitCode).toBe(0);
	const printed = JSON.parse((await rig.dispatch('diff', 'tree', '--json')).stdout) as { changes: { diff: string }[] };
	expect(printed.changes.map(({ diff }) => diff)).toEqual([stdout]);
	expect((await rig.dispatch('run', 'here')).exitCode).toBe(0);
	expect((await rig.dispatch('diff', 'here')).stdout).toContain('-one\n+two\tthree\n');
});

test('what is derived may be deleted: show, diff and logs say the same, and the next run makes it again', async () => {
	await using rig = await project();
	await rig.textServant('mine', `cat > /dev/null; printf 'two\\n' > src/a.txt\n${say(answers.impl!)}`);
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	await rig.packet('w', { task_type: 'implement', routing: { intent: 'one' }, scope: { allow: ['src'] } });
	// What is not committed is warned of while the worktree is still to be made, and who looks afterwards cannot know it.
	await rig.sh('git add configs && git commit -qm configs');
	expect((await rig.dispatch('run', 'w')).exitCode).toBe(0);
	const looks = ['show w', 'show w --json', 'diff w', 'diff w --json', 'logs w impl'];
	const look = async (args: string) => {
		const ran = await rig.dispatch(...args.split(' '));
		return { ...ran, stdout: ran.stdout.replace(/^updated: .*$/m, '') };
	};
	const said = () => Promise.all(looks.map(look));
	const before = await said();
	expect(JSON.parse(before[1]!.stdout).next_action).toBe('merge: git merge dispatch/w');
	expect(before[2]!.stdout).toContain('-one\n+two\n');
	for (const files of ['state/plan.json', 'state/workspace.json', 'state/*.json outputs/_summary.md']) {
		await rig.sh(`cd .tmp/task/w && rm ${files}`);
		expect(await said(), files).toEqual(before);
		expect(rig.has('.tmp/task/w/state/plan.json') && rig.has('.tmp/task/w/state/workspace.json')).toBe(false);
		expect(await rig.dispatch('run', 'w')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('completed already') });
		for (const file of ['plan.json', 'workspace.json', 'stats.json']) expect(rig.has(`.tmp/task/w/state/${file}`), file).toBe(true);
		expect(await said(), files).toEqual(before);
	}

	// Nor is it needed that anything can be planned again, or that the branch is still there.
	await rig.sh('rm .tmp/task/w/state/*.json; echo "provder: x" > configs/dispatch.yaml');
	expect((await rig.dispatch('diff', 'w')).stdout).toBe(before[2]!.stdout);
	expect(JSON.parse((await rig.dispatch('show', 'w', '--json')).stdout).workspace).toEqual(JSON.parse(before[1]!.stdout).workspace);
	await rig.sh('git checkout -q -- . ; git merge -q dispatch/w');
	expect((await rig.dispatch('diff', 'w')).stdout).toContain('-one\n+two\n');
});

test('config shows no secret of a configured command', async () => {
	await using rig = await Rig.create();
	const token = `ghp_${'0123456789abcdefghij'.repeat(2)}`;
	await rig.write('configs/dispatch.yaml', `worktree_setup: ['git clone https://${token}@example.org/x', npm ci]\n`);
	for (const args of [['config'], ['config', 'worktree_setup'], ['config', '--json']]) {
		const { exitCode, stdout } = await rig.dispatch(...args);
		expect([exitCode, stdout.includes('[REDACTED]'), stdout.includes('ghp_')], args.join(' ')).toEqual([0, true, false]);
	}
});
