import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loaded, project, said, text } from './project.ts';

describe('layers', () => {
	test("the project's word stands over the user's, the user's over the package's, each with its source", () => {
		using made = project({
			'user/servant/codex.yaml': 'default_model: mine\nmax_steps: 7\n',
			'user/dispatch.yaml': 'provider: gemini\n',
			'configs/servant/codex.yaml': '# ours\ndefault_model: ours\n',
		});
		const result = made.load();
		if (!result.ok) throw new Error('does not load');
		const { merged, user, defaults, source } = result.value;
		expect(user.servants.codex).toEqual({ default_model: 'ours', max_steps: 7 });
		expect(merged.servants.codex).toMatchObject({ default_model: 'ours', max_steps: 7, step_unit: 'item' });
		expect(defaults.servants.codex).toMatchObject({ default_model: 'gpt-5.5' });
		expect(source('user', ['servants', 'codex', 'default_model'])).toBe('configs/servant/codex.yaml:2:16');
		expect(source('user', ['servants', 'codex', 'max_steps'])).toBe(`${join(made.dir, 'user/servant/codex.yaml')}:2:12`);
		expect(source('user', ['servants', 'codex', 'step_unit'])).toBeUndefined();
		expect(source('defaults', ['servants', 'codex', 'step_unit'])).toBe('package default');
		expect(source('defaults', ['servants', 'codex', 'constructor'])).toBeUndefined();
		expect(source('user', ['dispatch', 'provider'])).toBe(`${join(made.dir, 'user/dispatch.yaml')}:1:11`);
	});

	test('providers.<tool> is merged over the servant file of its layer, and model is read as default_model', () => {
		const config = loaded({
			'configs/servant/codex.yaml': 'default_model: a\nmax_steps: 5\n',
			'configs/dispatch.yaml': 'providers:\n  codex:\n    model: b\n    task_types:\n      review: { model: c }\n',
		});
		expect(config.user.servants.codex).toEqual({ default_model: 'b', max_steps: 5, task_types: { review: { model: 'c' } } });
		expect(config.user.dispatch).toEqual({});
		expect(config.source('user', ['servants', 'codex', 'default_model'])).toBe('configs/dispatch.yaml:3:12');
		expect(config.source('user', ['servants', 'codex', 'max_steps'])).toBe('configs/servant/codex.yaml:2:12');
		expect(config.source('user', ['servants', 'codex', 'task_types', 'review', 'model'])).toBe('configs/dispatch.yaml:5:24');
	});

	test('a value hidden by a profile with its own stages has no source', () => {
		const config = loaded({
			'user/pipeline/review.yaml': 'profiles: { mine: { stages: [codex_review], stage_models: { codex_review: x } } }',
			'configs/pipeline/review-pipeline.yaml': 'profiles:\n  mine:\n    stages: [gemini_review]\n',
		});
		const path = ['pipelines', 'review', 'profiles', 'mine'];
		expect(config.source('user', [...path, 'stage_models', 'codex_review'])).toBeUndefined();
		expect(config.source('user', [...path, 'stages'])).toBe('configs/pipeline/review-pipeline.yaml:3:13');
	});

	test('of any two layers the source names the file that the value came from', () => {
		const servant = fc.record(
			{ default_model: fc.constantFrom('x', 'y'), max_steps: fc.integer({ min: 1, max: 9 }) },
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(servant, servant, (mine, ours) => {
				const config = loaded({ 'user/servant/codex.yaml': JSON.stringify(mine), 'configs/servant/codex.yaml': JSON.stringify(ours) });
				for (const key of ['default_model', 'max_steps'] as const) {
					expect(config.user.servants.codex?.[key]).toBe(ours[key] ?? mine[key]);
					const source = config.source('user', ['servants', 'codex', key]);
					if (ours[key] !== undefined) expect(source).toMatch(/^configs\/servant\/codex\.yaml:1:\d+$/);
					else if (mine[key] !== undefined) expect(source).toMatch(/\/user\/servant\/codex\.yaml:1:\d+$/);
					else expect(source).toBeUndefined();
				}
			}),
			{ numRuns: 30 },
		);
	});

	test('a new tool is a new file, a new profile a new key, a new group a new file', () => {
		const config = loaded({
			'configs/servant/opencode.yaml': 'command: opencode\nargs: [run]\n',
			'configs/pipeline/house.yaml': 'profiles: { ours: { stages: [opencode_review, review], options: { fail_on: high } } }',
			'configs/dispatch.yaml': 'task_providers: { review: opencode }\n',
		});
		expect(config.warnings).toEqual([]);
		expect(config.merged.pipelines.house?.profiles?.ours?.stages).toEqual(['opencode_review', 'review']);
	});
});

describe('every problem is said where it was written', () => {
	test.each<[string, Record<string, string | Uint8Array>, string]>([
		[
			'task_providers that is no map',
			{ 'configs/dispatch.yaml': 'task_providers: codex\n' },
			`
			configs/dispatch.yaml:1:17  error  expected keys with values, got "codex"
			    1 | task_providers: codex
			      |                 ^
			`,
		],
		[
			'unknown task types and servants in task_providers',
			{ 'configs/dispatch.yaml': 'provider: cloude\ntask_providers:\n  reviw: codex\n' },
			`
			configs/dispatch.yaml:1:11  error  unknown servant "cloude"; did you mean "claude"?
			    1 | provider: cloude
			      |           ^
			configs/dispatch.yaml:3:3  error  unknown key "reviw"; did you mean "review"?
			    3 |   reviw: codex
			      |   ^
			`,
		],
		[
			'unknown servants wherever they are named',
			{
				'configs/dispatch.yaml':
					'provider: cloude\ntask_providers:\n  review: nobody\nproviders:\n  codx: { model: x }\n  other: { model: x }\n',
				'configs/servant/codex.yaml': 'fallback: [gemni, codex, claude]\n',
			},
			`
			configs/dispatch.yaml:1:11  error  unknown servant "cloude"; did you mean "claude"?
			    1 | provider: cloude
			      |           ^
			configs/dispatch.yaml:3:11  error  unknown servant "nobody"; known: claude, codex, gemini, copilot, replay
			    3 |   review: nobody
			      |           ^
			configs/dispatch.yaml:5:3  error  unknown servant "codx"; did you mean "codex"?
			    5 |   codx: { model: x }
			      |   ^
			configs/dispatch.yaml:6:3  error  unknown servant "other"; describe it in configs/servant/other.yaml
			    6 |   other: { model: x }
			      |   ^
			configs/servant/codex.yaml:1:12  error  unknown servant "gemni"; did you mean "gemini"?
			    1 | fallback: [gemni, codex, claude]
			      |            ^
			configs/servant/codex.yaml:1:19  error  codex cannot fall back to itself
			    1 | fallback: [gemni, codex, claude]
			      |                   ^
			`,
		],
		[
			'servant files that cannot be told apart from stages, or contradict their name',
			{
				'configs/servant/my_tool.yaml': 'command: x\n',
				'configs/servant/gemini.yaml': 'tool: codex\n',
				'configs/servant/bare.yaml': 'default_model: x\n',
				'configs/servant/late.yml': '',
			},
			`
			configs/servant/bare.yaml:1:1  error  servant "bare" is not built in and needs a command
			    1 | default_model: x
			      | ^
			configs/servant/gemini.yaml:1:7  error  tool is "codex", but the file's name makes it "gemini"
			    1 | tool: codex
			      |       ^
			configs/servant/my_tool.yaml  error  a servant's name cannot hold "_": stages are named <tool>_<role>; rename the file to my-tool.yaml
			configs/servant/late.yml  warning  only *.yaml is read; rename this file
			`,
		],
		[
			'described servants whose arguments or answer lead nowhere',
			{
				'configs/servant/mine.yaml': 'command: mine\nargs: [-m, "{modle}", "{workdir}"]\noutput: jsonl\nstep_unit: item.completed\n',
			},
			`
			configs/servant/mine.yaml:2:12  error  unknown placeholder {modle}; did you mean "model"?
			    2 | args: [-m, "{modle}", "{workdir}"]
			      |            ^
			configs/servant/mine.yaml:3:9  warning  servant "mine" answers in JSON lines, but stream.text does not say where its answer is found; it will be empty
			    3 | output: jsonl
			      |         ^
			configs/servant/mine.yaml:4:1  warning  step_unit has no effect: only codex uses it
			    4 | step_unit: item.completed
			      | ^
			`,
		],
		[
			'described servants that would never get their prompt',
			{
				'configs/servant/mine.yaml': 'command: mine\nargs: [run]\nprompt: file\n',
				'configs/servant/other.yaml': 'command: other\nprompt: file\nwrite_args: ["--in={prompt_file}"]\n',
				'configs/servant/whole.yaml': 'command: whole\nprompt: file\nread_only_args: ["{prompt_file}"]\nwrite_args: ["{prompt_file}"]\n',
				'configs/servant/codex.yaml': 'prompt: file\n',
			},
			`
			configs/servant/mine.yaml:3:9  error  servant "mine" gets its prompt as a file, but {prompt_file} is neither in args nor in read_only_args and write_args
			    3 | prompt: file
			      |         ^
			configs/servant/other.yaml:2:9  error  servant "other" gets its prompt as a file, but {prompt_file} is neither in args nor in read_only_args
			    2 | prompt: file
			      |         ^
			configs/servant/codex.yaml:1:1  warning  prompt has no effect: codex is built in, and not described by its file
			    1 | prompt: file
			      | ^
			`,
		],
		[
			'settings that a servant does not know, or does not use',
			{
				'configs/servant/codex.yaml': 'purpose_efforts: { impl: hgih }\nwrapper_defaults: { effort: max, sandbox: true }\n',
				'configs/servant/gemini.yaml': 'wrapper_defaults: { effort: high, approval_mode: yolo, sandbox: true }\n',
				'configs/dispatch.yaml': 'providers:\n  claude:\n    wrapper_defaults: { effort: minimal, approval_mode: yolo }\n',
			},
			`
			configs/dispatch.yaml:3:33  error  claude knows no effort "minimal"; allowed: low, medium, high, xhigh, max
			    3 |     wrapper_defaults: { effort: minimal, approval_mode: yolo }
			      |                                 ^
			configs/servant/codex.yaml:1:26  error  codex knows no effort "hgih"; did you mean "high"? allowed: none, minimal, low, medium, high, xhigh, max, ultra
			    1 | purpose_efforts: { impl: hgih }
			      |                          ^
			configs/dispatch.yaml:3:42  warning  approval_mode has no effect: only gemini uses it
			    3 |     wrapper_defaults: { effort: minimal, approval_mode: yolo }
			      |                                          ^
			configs/servant/codex.yaml:2:34  warning  sandbox has no effect: only gemini uses it
			    2 | wrapper_defaults: { effort: max, sandbox: true }
			      |                                  ^
			configs/servant/gemini.yaml:1:29  warning  effort "high" has no effect: gemini takes none
			    1 | wrapper_defaults: { effort: high, approval_mode: yolo, sandbox: true }
			      |                             ^
			`,
		],
		[
			'what only describes a servant that is not built in, what only codex counts, and values among the names of variables',
			{
				'configs/servant/codex.yaml': 'args: [--search]\nstep_unit: item\nstream: { text: { path: a } }\n',
				'configs/servant/replay.yaml': 'args: [recordings]\nstep_unit: item\nprompt: stdin\n',
				'configs/servant/mine.yaml': 'command: mine\nargs: [-x]\nstep_unit: item\nenv: [FOO, "", BAR=1, =]\n',
			},
			`
			configs/servant/mine.yaml:4:16  error  env lists names of variables, and a name cannot hold "="; write BAR
			    4 | env: [FOO, "", BAR=1, =]
			      |                ^
			configs/servant/mine.yaml:4:23  error  env lists names of variables, and a name cannot hold "="
			    4 | env: [FOO, "", BAR=1, =]
			      |                       ^
			configs/servant/codex.yaml:1:1  warning  args has no effect: codex is built in, and not described by its file
			    1 | args: [--search]
			      | ^
			configs/servant/codex.yaml:3:1  warning  stream has no effect: codex is built in, and not described by its file
			    3 | stream: { text: { path: a } }
			      | ^
			configs/servant/mine.yaml:3:1  warning  step_unit has no effect: only codex uses it
			    3 | step_unit: item
			      | ^
			configs/servant/replay.yaml:3:1  warning  prompt has no effect: replay is built in, and not described by its file
			    3 | prompt: stdin
			      | ^
			`,
		],
		['an empty entry of a fallback, which is none', { 'configs/servant/codex.yaml': 'fallback: [claude, ""]\n' }, ``],
		[
			'two files of one group',
			{ 'configs/pipeline/review.yaml': '', 'configs/pipeline/review-pipeline.yaml': 'pipeline: review\n' },
			`
			configs/pipeline/review.yaml  error  group "review" is configured by configs/pipeline/review-pipeline.yaml and by configs/pipeline/review.yaml; keep one of the two
			`,
		],
		[
			'flags and options that a group does not know',
			{
				'configs/pipeline/impl.yaml': text(`
					profiles:
					  safe_impl:
					    flags: { enable_breif: true }
					    options: { fail_on: high, fix_rounds: 9 }
				`),
				'configs/pipeline/task.yaml': 'profiles: { task: { flags: { enable_review: true } } }\n',
			},
			`
			configs/pipeline/impl.yaml:3:14  error  group impl has no flag "enable_breif"; did you mean "enable_brief"? allowed: enable_brief, enable_verify, enable_review
			    3 |     flags: { enable_breif: true }
			      |              ^
			configs/pipeline/impl.yaml:4:16  error  group impl has no option "fail_on"; allowed: impl_mode, timeout_mode, fix_rounds
			    4 |     options: { fail_on: high, fix_rounds: 9 }
			      |                ^
			configs/pipeline/impl.yaml:4:43  error  fix_rounds cannot be 9; allowed: 0, 1, 2, 3, 4, 5
			    4 |     options: { fail_on: high, fix_rounds: 9 }
			      |                                           ^
			configs/pipeline/task.yaml:1:30  error  group task has no flag "enable_review"; it has none
			    1 | profiles: { task: { flags: { enable_review: true } } }
			      |                              ^
			`,
		],
		[
			'profiles whose names and needs mean nothing',
			{
				'configs/pipeline/review.yaml': text(`
					default_profile: review_crossed
					profiles:
					  empty: { flags: { enable_review: true } }
					  odd:
					    stages: [codex_review, codex_review, ../x]
					    needs: { codex_reviw: [codex_review], codex_review: [nothing] }
					  round:
					    stages: [a_review, b_review]
					    needs: { a_review: [b_review], b_review: [a_review] }
					    stage_models: { c_review: x }
				`),
			},
			`
			configs/pipeline/review.yaml:1:18  error  unknown profile "review_crossed"; did you mean "review_cross"?
			    1 | default_profile: review_crossed
			      |                  ^
			configs/pipeline/review.yaml:3:3  error  profile "empty" has no stages
			    3 |   empty: { flags: { enable_review: true } }
			      |   ^
			configs/pipeline/review.yaml:5:28  error  stage "codex_review" occurs twice; call the second one "codex_review-2"
			    5 |     stages: [codex_review, codex_review, ../x]
			      |                            ^
			configs/pipeline/review.yaml:5:42  error  "../x" cannot be a stage: a stage is <tool>_<role> or a role
			    5 |     stages: [codex_review, codex_review, ../x]
			      |                                          ^
			configs/pipeline/review.yaml:6:14  error  unknown stage "codex_reviw"; did you mean "codex_review"?
			    6 |     needs: { codex_reviw: [codex_review], codex_review: [nothing] }
			      |              ^
			configs/pipeline/review.yaml:6:58  error  unknown stage "nothing"; known: codex_review, codex_review, ../x
			    6 |     needs: { codex_reviw: [codex_review], codex_review: [nothing] }
			      |                                                          ^
			configs/pipeline/review.yaml:9:14  error  stages wait for each other: a_review → b_review → a_review
			    9 |     needs: { a_review: [b_review], b_review: [a_review] }
			      |              ^
			configs/pipeline/review.yaml:10:21  warning  no stage "c_review" in this profile, so this has no effect; did you mean "a_review"?
			    10 |     stage_models: { c_review: x }
			       |                     ^
			`,
		],
		[
			'legacy step keys, each once',
			{
				'configs/dispatch.yaml': text(`
					max_turns: 9
					defaults: { max_steps: 5, max_turns: 6 }
					task_types:
					  review: { max_steps: 4, max_turns: 4 }
					  plan: { max_turns: 3 }
					providers:
					  codex: { max_turns: 2 }
				`),
			},
			`
			configs/dispatch.yaml:1:1  warning  max_turns is deprecated; use max_steps
			    1 | max_turns: 9
			      | ^
			configs/dispatch.yaml:2:27  warning  max_steps is 5 and max_turns is 6; max_steps counts
			    2 | defaults: { max_steps: 5, max_turns: 6 }
			      |                           ^
			configs/dispatch.yaml:5:11  warning  max_turns is deprecated; use max_steps
			    5 |   plan: { max_turns: 3 }
			      |           ^
			configs/dispatch.yaml:7:12  warning  max_turns is deprecated; use max_steps
			    7 |   codex: { max_turns: 2 }
			      |            ^
			`,
		],
		[
			"a legacy type model of another servant's",
			{
				'configs/dispatch.yaml':
					'task_providers: { review: claude }\ntask_types:\n  review: { model: gpt-5.5 }\n  plan: { model: gpt-5.5 }\n',
			},
			`
			configs/dispatch.yaml:3:20  warning  provider/model mismatch: model "gpt-5.5" is one of codex, but review is routed to claude
			    3 |   review: { model: gpt-5.5 }
			      |                    ^
			`,
		],
		[
			'files that are no text, and a good one beside them',
			{
				'configs/servant/codex.yaml': Uint8Array.of(0xff),
				'configs/servant/gemini.yaml': 'a'.repeat(2_000_000),
				'configs/dispatch.yaml': 'provider: codex',
			},
			`
			configs/servant/codex.yaml:1:1  error  the file is not UTF-8 text
			    1 | \uFFFD
			      | ^
			configs/servant/gemini.yaml  error  the file is larger than 1 MiB
			`,
		],
		[
			'a profile of the same name in two groups',
			{ 'configs/pipeline/house.yaml': 'profiles: { standard: { stages: [review] } }' },
			`
			configs/pipeline/house.yaml:1:13  warning  profile "standard" is in the groups plan and house; an intent of that name could mean either
			    1 | profiles: { standard: { stages: [review] } }
			      |             ^
			`,
		],
	])('%s', (_, files, expected) => {
		expect(said(files)).toBe(text(expected));
	});

	test.skipIf(process.getuid?.() === 0)('a file that may not be read', () => {
		using made = project({ 'configs/dispatch.yaml': 'provider: codex' });
		chmodSync(join(made.root, 'configs/dispatch.yaml'), 0);
		expect(made.load()).toMatchObject({ ok: false, failures: [{ message: 'cannot be read: permission denied' }] });
	});

	test('one fault in a file hides neither the others nor makes up new ones', () => {
		const heads = (files: Record<string, string>) =>
			said(files)
				.split('\n')
				.filter((line) => line.startsWith('configs/'))
				.map((line) => line.replace('configs/', ''));
		expect(
			heads({
				'configs/servant/mytool.yaml': 'args: ["{modle}"]\nfallback: [mytool, gemni]\nprices: { a: { input: 1 } }\n',
				'configs/servant/other.yaml': text(`
					command: 5
					fallback: [nobdy]
					output: jsonl
					stream: { text: {} }
				`),
				'configs/servant/third.yaml': 'comand: third\nfallback: [nobdy]\n',
				'configs/pipeline/own.yaml': text(`
					default_profile: d
					profiles:
					  a: { stages: [] }
					  b: { stages: }
					  c: { stages: [claude_plan], needs: { claude_plan: [claude_plan] } }
					  d: { stages: claude_plan, needs: { claude_plan: [claude_brief] }, options: { fix_rounds: 9 } }
					  e: 5
					  f: { satges: [claude_plan], stage_models: { claude_plan: x } }
				`),
				'configs/pipeline/review.yaml': 'default_profile: x\nprofiles: 5\n',
			}),
		).toEqual([
			expect.stringMatching(/^pipeline\/own.yaml:3:16 .*needs at least 1 entry/),
			expect.stringMatching(/^pipeline\/own.yaml:4:3 .*"b" has no stages/),
			expect.stringMatching(/^pipeline\/own.yaml:5:40 .*stages wait for each other/),
			expect.stringMatching(/^pipeline\/own.yaml:6:16 .*expected a list/),
			expect.stringMatching(/^pipeline\/own.yaml:6:92 .*fix_rounds cannot be 9/),
			expect.stringMatching(/^pipeline\/own.yaml:7:6 .*expected keys with values/),
			expect.stringMatching(/^pipeline\/own.yaml:8:8 .*unknown key "satges"/),
			expect.stringMatching(/^pipeline\/review.yaml:2:11 .*expected keys with values/),
			expect.stringMatching(/^servant\/mytool.yaml:1:1 .*needs a command/),
			expect.stringMatching(/^servant\/mytool.yaml:1:8 .*unknown placeholder/),
			expect.stringMatching(/^servant\/mytool.yaml:2:12 .*cannot fall back to itself/),
			expect.stringMatching(/^servant\/mytool.yaml:2:20 .*unknown servant "gemni"/),
			expect.stringMatching(/^servant\/mytool.yaml:3:11 .*the key "output" is missing/),
			expect.stringMatching(/^servant\/other.yaml:1:10 .*expected text/),
			expect.stringMatching(/^servant\/other.yaml:2:12 .*unknown servant "nobdy"/),
			expect.stringMatching(/^servant\/other.yaml:4:11 .*the key "path" is missing/),
			expect.stringMatching(/^servant\/third.yaml:1:1 .*unknown key "comand"/),
			expect.stringMatching(/^servant\/third.yaml:2:12 .*unknown servant "nobdy"/),
		]);
	});

	test('a profile whose stages are wrong is not also said to have none', () => {
		expect(said({ 'configs/pipeline/review.yaml': 'default_profile: x\nprofiles: { x: { stages: 5 } }\n' })).toBe(
			text(`
			configs/pipeline/review.yaml:2:26  error  expected a list, got 5
			    2 | profiles: { x: { stages: 5 } }
			      |                          ^
			`),
		);
	});

	test('a folder where a file should be', () => {
		expect(said({ 'configs/dispatch.yaml/x': '' })).toBe('configs/dispatch.yaml  error  this is not a file');
	});

	test('a link to nothing, where one to a file is as good as the file', () => {
		using made = project({ 'configs/servant/mine.yaml': 'command: mine\n', 'elsewhere.yaml': 'default_model: kept-elsewhere\n' });
		for (const name of ['servant/codex.yaml', 'dispatch.yaml']) symlinkSync('../nowhere', join(made.root, 'configs', name));
		symlinkSync('../../elsewhere.yaml', join(made.root, 'configs/servant/claude.yaml'));
		const result = made.load();
		expect(result.ok ? [] : result.failures.map(({ file, message }) => `${file} ${message}`)).toEqual([
			'configs/dispatch.yaml this is a link to a file that does not exist',
			'configs/servant/codex.yaml this is a link to a file that does not exist',
		]);
	});
});

test('a model that configuration names is allowed by being named', () => {
	expect(said({ 'configs/servant/codex.yaml': 'default_model: brand-new\npurpose_models: { review: newer }\n' })).toBe('');
});

test("a shipped profile's name is not taken from the prototype", () => {
	const { merged } = loaded({});
	expect(merged.servants.constructor).toBeUndefined();
	expect(merged.pipelines.review?.profiles?.toString).toBeUndefined();
});
