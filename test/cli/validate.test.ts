import { describe, expect, test } from 'vitest';
import { Rig } from '../rig.ts';

const heads = (text: string) => text.split('\n').filter((line) => / {2}(error|warning) {2}/.test(line));

test('a slip in the shape hides neither what the plan nor what the chain complains of', async () => {
	await using rig = await Rig.create();
	await rig.packet('base', { task_type: 'plan', depends_on: 'broken' });
	const lines = [
		'task_id: broken',
		'provider: coddex',
		'budgets: { paid_call_budgett: 3 }',
		'routing:',
		'  intent: safe_impl',
		'  model: { codex: nope }',
		'  pipeline:',
		'    profile: safe_imp',
		'    flags: { enable_brif: true, enable_verify: 3 }',
		'    options: { fix_rond: 1 }',
		'  stages: { codex_imp: { max_steps: 3 } }',
		'depends_on: [base, nobody, "no id!"]',
	];
	await rig.write('.tmp/task/broken/manifest.yaml', `${lines.join('\n')}\n`);
	const ran = await rig.dispatch('validate', 'broken');
	const said = heads(ran.stderr).map((line) => line.replace('.tmp/task/broken/manifest.yaml:', ''));
	expect(ran.exitCode).toBe(3);
	expect(said).toEqual([
		expect.stringMatching(/^1:1 .*"goal" is missing/),
		expect.stringMatching(/^1:1 .*scope\.allow is empty/),
		expect.stringMatching(/^2:11 .*unknown servant "coddex"/),
		expect.stringMatching(/^3:12 .*unknown key "paid_call_budgett"/),
		expect.stringMatching(/^6:19 .*nope/),
		expect.stringMatching(/^8:14 .*no profile "safe_imp"/),
		expect.stringMatching(/^9:14 .*no flag "enable_brif"/),
		expect.stringMatching(/^9:48 .*expected true or false/),
		expect.stringMatching(/^10:.*no option "fix_rond"/),
		expect.stringMatching(/^11:.*no stage "codex_imp"/),
		expect.stringMatching(/^12:14 .*cycle: broken → base → broken/),
		expect.stringMatching(/^12:20 .*no packet "nobody"/),
		expect.stringMatching(/^12:28 /),
	]);
});

test('what only follows from a slip is not said', async () => {
	await using rig = await Rig.create();
	const manifest = 'task_id: m\ngoal: g\ntask_type: implement\nprovidr: codex\nmodel: gpt-5.2\nscope: { alow: [src] }\n';
	await rig.write('.tmp/task/m/manifest.yaml', manifest);
	await rig.write('.tmp/task/n/manifest.yaml', 'task_id: n\ngoal: g\ntask_typ: implement\nscope: { allow: [""] }\n');
	expect(heads((await rig.dispatch('validate')).stderr)).toEqual([
		expect.stringMatching(/m\/manifest\.yaml:4:1 .*unknown key "providr"/),
		expect.stringMatching(/m\/manifest\.yaml:6:10 .*unknown key "alow"/),
		expect.stringMatching(/n\/manifest\.yaml:1:1 .*one of "task_type"/),
		expect.stringMatching(/n\/manifest\.yaml:3:1 .*unknown key "task_typ"/),
		expect.stringMatching(/n\/manifest\.yaml:4:18 .*an entry of this list is empty/),
	]);
});

test('a profile that is wrong is shown once, with its line, however many packets use it', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/pipeline/review.yaml', 'profiles:\n  mine:\n    stages: [codex_reviw]\n');
	for (const id of ['a', 'b']) await rig.packet(id, { routing: { intent: 'mine' }, task_type: undefined });
	const shown = [
		'configs/pipeline/review.yaml:3:14  error  profile "mine" of group review: stage "codex_reviw" has an unknown role "reviw"; did you mean "review"?',
		'    3 |     stages: [codex_reviw]',
		'      |              ^',
		'',
	].join('\n');
	expect((await rig.dispatch('validate')).stderr).toBe(shown);
	expect((await rig.dispatch('validate', 'a')).stderr).toBe(shown);
});

test('a wrong configuration file hides neither the other files nor the packets', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', 'provider: [\n');
	await rig.write('configs/servant/mine.yaml', 'command: x\nfallback: [nobody]\n');
	await rig.packet('p', { task_type: 'plan', depends_on: 'nothing' });
	expect(heads((await rig.dispatch('validate')).stderr)).toEqual([
		expect.stringMatching(/^configs\/dispatch\.yaml:/),
		expect.stringMatching(/^configs\/servant\/mine\.yaml:2:12 .*unknown servant "nobody"/),
		expect.stringMatching(/^\.tmp\/task\/p\/manifest\.yaml:.*there is no packet "nothing"/),
	]);
});

test('a name that means nothing is shown where it stands, not at its value', async () => {
	await using rig = await Rig.create();
	const lines = [
		'task_id: p',
		'goal: g',
		'scope: { allow: [src] }',
		'routing:',
		'  intent: safe_impl',
		'  model: { cdex: x }',
		'  pipeline:',
		'    flags: { enable_x: true }',
		'    options:',
		'      imp_mode:',
		'        safe',
		'  stages: { codex_imp: { max_steps: 3 } }',
	];
	await rig.write('.tmp/task/p/manifest.yaml', `${lines.join('\n')}\n`);
	expect(heads((await rig.dispatch('validate', 'p')).stderr).map((line) => line.replace('.tmp/task/p/manifest.yaml:', ''))).toEqual([
		expect.stringMatching(/^6:12 .*unknown servant "cdex"/),
		expect.stringMatching(/^8:14 .*no flag "enable_x"/),
		expect.stringMatching(/^10:7 .*no option "imp_mode"/),
		expect.stringMatching(/^12:13 .*no stage "codex_imp"/),
	]);
});

test('a manifest on one line is shown around the place that is wrong', async () => {
	await using rig = await Rig.create();
	const manifest = {
		task_id: 'p',
		goal: 'g'.repeat(2000),
		routing: { intent: 'review_crossed' },
		acceptance: { criteria: ['c'.repeat(200)] },
	};
	await rig.write('.tmp/task/p/manifest.yaml', JSON.stringify(manifest));
	expect((await rig.dispatch('validate', 'p')).stderr).toBe(
		[
			'.tmp/task/p/manifest.yaml:1:2046  error  unknown intent "review_crossed"; did you mean "review_cross"?',
			`    1 | …${'g'.repeat(37)}","routing":{"intent":"review_crossed"},"acceptance":{"criteria":["${'c'.repeat(54)}…`,
			`      | ${' '.repeat(60)}^`,
			'',
		].join('\n'),
	);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(3);
	expect(await rig.summary('p')).toContain(`    1 | …${'g'.repeat(37)}","routing":{"intent":"review_crossed"}`);
});

test('a hundred and more problems are all said and counted', async () => {
	await using rig = await Rig.create();
	const wrong = Array.from({ length: 150 }, (_, i) => `zork${i}: 1\n`).join('');
	await rig.write('.tmp/task/p/manifest.yaml', `task_id: p\ntask_type: review\n${wrong}`);
	const ran = await rig.dispatch('validate', 'p');
	expect(ran.stdout).toBe('p: 151 errors\n');
	expect(heads(ran.stderr)).toHaveLength(151);
	await rig.dispatch('run', 'p');
	expect(await rig.summary('p')).toContain('The packet is invalid (151 problems)');
});

test('an intent that nothing resembles leaves what no group knows', async () => {
	await using rig = await Rig.create();
	const lines = [
		'task_id: p',
		'goal: g',
		'routing:',
		'  intent: zzzzzzzz',
		'  pipeline:',
		'    profile: nope',
		'    flags: { enable_brif: true, enable_review: true }',
		'    options: { nope: 1, fix_rounds: 9, fail_on: hi, impl_mode: one_shot }',
		'  stages: { codex_imp: { max_steps: 3 }, codex_review: { max_steps: 3 } }',
	];
	await rig.write('.tmp/task/p/manifest.yaml', `${lines.join('\n')}\n`);
	expect(heads((await rig.dispatch('validate', 'p')).stderr)).toEqual([
		expect.stringMatching(/:4:11 .*unknown intent/),
		expect.stringMatching(/:6:14 .*no group has profile "nope"; known: safe_impl, /),
		expect.stringMatching(/:7:14 .*no group has flag "enable_brif"; did you mean "enable_brief"\?/),
		expect.stringMatching(/:8:16 .*no group has option "nope"/),
		expect.stringMatching(/:8:37 .*fix_rounds cannot be 9; allowed: 0, 1, 2, 3, 4, 5/),
		expect.stringMatching(/:8:49 .*fail_on cannot be "hi"; allowed: none, high/),
		expect.stringMatching(/:9:13 .*stage "codex_imp" has an unknown role "imp"; did you mean "impl"\?/),
	]);
});

describe('what is wrong with the routing hides nothing else', () => {
	const pipeline = ['  pipeline: { profile: nope, options: { fix_rounds: 9, foo: 1 } }', '  stages: { codex_imp: { model: nope } }'];
	const writes = /scope\.allow is empty, so nothing may be written, but \w+ writes/;
	test.each<[string, string[], RegExp[]]>([
		[
			'a misspelt task type',
			['task_type: implment', 'routing:', ...pipeline],
			[
				writes,
				/expected one of: task/,
				/group task has no profile "nope"/,
				/fix_rounds/,
				/group task has no option "foo"/,
				/no stage "codex_imp"/,
			],
		],
		[
			'a misspelt key',
			['routing:', '  intnt: safe_impl', ...pipeline],
			[
				/one of "task_type"/,
				writes,
				/unknown key "intnt"/,
				/group impl has no profile "nope"/,
				/fix_rounds/,
				/group impl has no option "foo"/,
				/no stage "codex_imp"/,
			],
		],
		[
			'neither intent nor type',
			['routing:', ...pipeline],
			[/one of "task_type"/, /no group has profile "nope"/, /fix_rounds/, /no group has option "foo"/, /unknown role "imp"/],
		],
		[
			'an intent that stands twice',
			['routing:', '  intent: safe_impl', '  intent: safe_impl', ...pipeline],
			[
				writes,
				/"intent" occurs twice/,
				/group impl has no profile "nope"/,
				/fix_rounds/,
				/group impl has no option "foo"/,
				/no stage "codex_imp"/,
			],
		],
		[
			'a type that nothing resembles, beside an intent',
			['task_type: zzzzzz', 'model: whatever', 'routing:', '  intent: safe_impl', ...pipeline],
			[
				writes,
				/expected one of: task/,
				/group impl has no profile "nope"/,
				/fix_rounds/,
				/group impl has no option "foo"/,
				/no stage "codex_imp"/,
			],
		],
		['a routing that cannot be read', ['task_type: implement', 'routing: 5'], [/expected keys with values/]],
		[
			'a section that stands twice',
			['task_type: implement', 'scope: { allow: [src] }', 'scope: { deny: [test] }', 'routing:', ...pipeline],
			[/"scope" occurs twice/, /group task has no profile "nope"/, /fix_rounds/, /group task has no option "foo"/, /no stage "codex_imp"/],
		],
	])('%s', async (_, lines, expected) => {
		await using rig = await Rig.create({ git: false });
		await rig.write('.tmp/task/p/manifest.yaml', `${['task_id: p', 'goal: g', ...lines].join('\n')}\n`);
		expect(heads((await rig.dispatch('-C', rig.root, 'validate', 'p')).stderr)).toEqual(expected.map((one) => expect.stringMatching(one)));
	});
});

test('a budget below the planned calls is warned of where it is set', async () => {
	await using rig = await Rig.create();
	await rig.write('.tmp/task/p/manifest.yaml', 'task_id: p\ngoal: g\nrouting: { intent: review_cross }\nbudgets:\n  paid_call_budget: 1\n');
	for (const args of [['validate'], ['validate', 'p']]) {
		const ran = await rig.dispatch(...args);
		expect(ran.exitCode).toBe(0);
		expect(ran.stderr).toContain(
			'.tmp/task/p/manifest.yaml:5:21  warning  paid_call_budget 1 is below the 3 calls that are planned\n    5 |',
		);
	}
});

test('what a plan warns of is shown where it is written, in the manifest or in configuration', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', 'task_types:\n  review: { model: gpt-5.5 }\n');
	const lines = [
		'task_id: p',
		'goal: g',
		'task_type: review',
		'routing:',
		'  intent: codex_only',
		'  model: { gemini: pro }',
		'  stages: { codex_review: { provider: gemini, model: flash } }',
		'budgets: { max_cost_usd: 1 }',
	];
	await rig.write('.tmp/task/p/manifest.yaml', `${lines.join('\n')}\n`);
	const forced = (await rig.dispatch('validate', 'p', '--force-task-provider', 'codex')).stderr;
	expect(forced).toContain(
		[
			'.tmp/task/p/manifest.yaml:7:54  warning  routing.stages.codex_review: model not used, because the stage is re-routed to codex; routing.model.codex would count',
			'    7 |   stages: { codex_review: { provider: gemini, model: flash } }',
			'      |                                                      ^',
		].join('\n'),
	);
	expect(heads((await rig.dispatch('validate', 'p')).stderr)).toEqual([
		expect.stringMatching(/^configs\/dispatch\.yaml:2:20 {2}warning {2}task_types\.review\.model: .*not used in this plan/),
		expect.stringMatching(/^\.tmp\/task\/p\/manifest\.yaml:8:26 {2}warning {2}max_cost_usd cannot be held for gemini_review/),
		expect.stringMatching(/^\.tmp\/task\/p\/manifest\.yaml:8:26 {2}warning {2}max_cost_usd cannot be held for codex_verify/),
	]);
});

test('a directory with a manifest and a name that no packet can have is not passed over', async () => {
	await using rig = await Rig.create();
	const long = 'x'.repeat(101);
	for (const name of ['My Task', long, '.hidden']) await rig.packet(name, { task_type: 'plan' });
	await rig.packet('good', { task_type: 'plan' });
	await rig.sh('mkdir ".tmp/task/no manifest"');
	const rule = 'a task id is 1–100 characters of A-Z a-z 0-9 . _ - and does not start with a dot';
	expect(await rig.dispatch('validate')).toMatchObject({
		exitCode: 3,
		stdout: 'configuration, templates and 1 packet: 2 errors\n',
		stderr: ['My Task', long].map((name) => `.tmp/task/${name}  error  cannot be a packet: ${rule}; rename the directory\n`).join(''),
	});
	for (const name of ['My Task', long])
		expect(await rig.dispatch('run', name)).toMatchObject({ exitCode: 2, stderr: `dispatch: "${name}" cannot be a packet: ${rule}\n` });
});

test('the whole project is no more valid than its packets: outside git, and with flags that name nothing', async () => {
	await using rig = await Rig.create({ git: false });
	await rig.packet('r', { task_type: 'explore' });
	for (const flags of [
		['--provider', 'nosuch'],
		['--force-task-provider', 'nosuch'],
		['--model', 'nosuch'],
	]) {
		const ran = await rig.dispatch('validate', ...flags);
		expect(ran, flags.join(' ')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nosuch') });
		expect(ran.stdout).toContain('1 error');
	}
	await rig.packet('w', { task_type: 'implement', scope: { allow: ['**'] } });
	const ran = await rig.dispatch('validate');
	expect(ran.exitCode).toBe(3);
	expect(heads(ran.stderr)).toEqual([expect.stringMatching(/w\/manifest\.yaml:1:10 .*writes, and this is not a git repository/)]);
});

test('a template that cannot be read hides nothing of the others', async () => {
	await using rig = await Rig.create();
	await rig.write('templates/roles/brief.md', '---\npurpose: [\n---\nx\n');
	await rig.write('templates/roles/review.md', 'Say something.\n');
	const said = heads((await rig.dispatch('validate')).stderr);
	expect(said).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/^templates\/roles\/brief\.md/),
			expect.stringMatching(/^templates\/roles\/review\.md .*the gate of role review demands "Findings"/),
		]),
	);
	expect(said.filter((line) => line.includes('brief.md'))).toHaveLength(1);
});

test('that a worktree cannot begin yet, or will lack something, is said once for all packets', async () => {
	await using rig = await Rig.create({ git: false });
	await rig.sh('git init -q -b main .');
	for (const id of ['v', 'w']) await rig.packet(id, { task_type: 'implement', scope: { allow: ['**'] } });
	const warned =
		/^\.tmp\/task\/\w\/manifest\.yaml {2}warning {2}the repository has no commit yet; a worktree needs one to start from: run git commit --allow-empty -m start$/;
	for (const args of [['validate'], ['validate', 'w']])
		expect(heads((await rig.dispatch(...args)).stderr)).toEqual([expect.stringMatching(warned)]);
});

test('a key that was pasted into a wrong line is not printed', async () => {
	await using rig = await Rig.create();
	const key = `sk-ant-api03-${'A'.repeat(48)}`;
	await rig.write(
		'.tmp/task/t1/manifest.yaml',
		`task_id: t1\ngoal: Look\ntask_type: explore\nmax_steps: ${key}\nbudgets: { max_steps: ${key} }\n`,
	);
	for (const args of [
		['validate'],
		['validate', 't1'],
		['validate', 't1', '--json'],
		['plan', 't1'],
		['plan', 't1', '--json'],
		['run', 't1'],
	]) {
		const ran = await rig.dispatch(...args);
		expect(ran.exitCode, args.join(' ')).toBe(3);
		expect(ran.stdout + ran.stderr, args.join(' ')).toContain('[REDACTED]');
		expect(ran.stdout + ran.stderr, args.join(' ')).not.toContain(key);
	}
});
