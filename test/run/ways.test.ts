import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../src/contract/event.ts';
import { answers, codexSays, copilotSays, geminiSays, Rig, say } from '../rig.ts';

const onlyReview = { routing: { intent: 'codex_only', pipeline: { flags: { enable_verify: false } } } };

test('fix_rounds sends a failed check back to the writing stage, with its results in the prompt', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays('changed\n\nPASS', 'case "$*" in *workspace-write*) echo round >> src/a.txt;; esac'));
	await rig.packet('t1', {
		routing: { intent: 'safe_impl', pipeline: { flags: { enable_brief: false, enable_review: false }, options: { fix_rounds: 2 } } },
		scope: { allow: ['src'] },
		acceptance: { commands: ['echo "need two rounds" && test "$(grep -c round src/a.txt)" = 2'] },
	});
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(0);
	expect((await rig.events('t1')).filter((event) => event.type === 'stage_reserved').map((event) => [event.stage, event.kind])).toEqual([
		['codex_impl', 'first'],
		['codex_impl', 'fix'],
		['codex_verify', 'retry'],
	]);
	expect(await rig.read('.tmp/task/t1/inputs/prompt/codex.impl.md')).toContain('need two rounds');
	expect((await rig.stats('t1')).paid_calls_used).toBe(3);
});

test('a fallback is tried, paid and told; the stage keeps its name and the files carry the tool that ran', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/servant/codex.yaml', 'fallback: [gemini]\n');
	await rig.servant(
		'codex',
		`cat > /dev/null; echo codex >> "$SEEN/calls"\n${say(JSON.stringify({ type: 'turn.failed', error: { message: 'Quota exceeded. Check your plan and billing details.' } }))}\nexit 1`,
	);
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', onlyReview);
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(0);
	expect((await rig.events('t1')).find((event) => event.type === 'stage_fallback')).toMatchObject({
		stage: 'codex_review',
		from: 'codex',
		provider: 'gemini',
		class: 'quota',
	});
	expect(await rig.meta('t1', 'codex_review', 'gemini')).toMatchObject({
		outcome: 'passed',
		tool: 'gemini',
		fallback_from: 'codex',
		model: 'pro',
	});
	expect((await rig.stats('t1')).paid_calls_used).toBe(2);
	expect(await rig.summary('t1')).toContain('gemini');
	expect(await rig.json('.tmp/task/t1/done/codex_review.done')).toMatchObject({ stage: 'codex_review', tool: 'gemini' });
});

test('of a fallback both servants’ files stay; what did a stage before it ran again goes, and its attempt keeps all', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/servant/codex.yaml', 'fallback: [gemini]\n');
	const outOfQuota = say(
		JSON.stringify({ type: 'turn.failed', error: { message: 'Quota exceeded. Check your plan and billing details.' } }),
	);
	await rig.servant('codex', `if [ ! -e "$SEEN/paid" ]; then cat > /dev/null; ${outOfQuota}\nexit 1; fi\n${codexSays(answers.review!)}`);
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', onlyReview);
	const toolsIn = async () => {
		const names = (await rig.sh('ls .tmp/task/t1/outputs')).stdout.split('\n');
		return [...new Set(names.map((name) => /^codex_review\.(codex|gemini)\./.exec(name)?.[1]).filter((tool) => tool !== undefined))];
	};
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await toolsIn()).toEqual(['codex', 'gemini']);
	await rig.let('paid');
	expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(0);
	expect(await toolsIn()).toEqual(['codex']);
	expect(rig.has('.tmp/task/t1/outputs/attempts/codex_review/2/out')).toBe(true);
	expect((await rig.dispatch('show', 't1')).stdout).toContain('read outputs/codex_review.codex.out');
});

test('a missing program with a fallback is no obstacle', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/servant/codex.yaml', 'fallback: [gemini]\n');
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', onlyReview);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect((await rig.stats('t1')).paid_calls_used).toBe(1);
});

test('a rate limit with a known reset waits, says until when, and goes on by itself', async () => {
	await using rig = await Rig.create();
	const limited = say(
		JSON.stringify({ type: 'turn.failed', error: { message: 'unexpected status 429: rate limit reached, try again in 0.2s' } }),
	);
	await rig.servant(
		'codex',
		`cat > /dev/null; if [ ! -e "$SEEN/once" ]; then : > "$SEEN/once"; ${limited}\nexit 1; fi\n${codexSays(answers.review!)}`,
	);
	await rig.packet('t1', onlyReview);
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(0);
	expect((await rig.events('t1')).find((event) => event.type === 'stage_waiting')).toMatchObject({
		class: 'rate_limit',
		stage: 'codex_review',
	});
	expect(run.stdout).toMatch(/codex_review waiting/);
});

const limitedFor = (seconds: number) =>
	say(JSON.stringify({ type: 'turn.failed', error: { message: `unexpected status 429: rate limit reached, try again in ${seconds}s` } }));

test('nobody waits for a reset when no paid call is left', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', `cat > /dev/null\n${limitedFor(300)}\nexit 1`);
	await rig.packet('t1', { ...onlyReview, budgets: { paid_call_budget: 1 } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(4);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'budget_exhausted', reason: '1 of 1 paid calls are used' });
	expect((await rig.events('t1')).some((event) => event.type === 'stage_waiting')).toBe(false);
});

test('run --wait sits out the quota that an earlier run met, before it calls anybody', async () => {
	await using rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', 'max_wait_sec: 1\n');
	await rig.servant(
		'codex',
		`cat > /dev/null; if [ ! -e "$SEEN/once" ]; then : > "$SEEN/once"; ${limitedFor(5)}\nexit 1; fi\n${codexSays(answers.review!)}`,
	);
	await rig.packet('t1', onlyReview);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	expect((await rig.dispatch('run', 't1', '--wait')).exitCode).toBe(0);
	const events = await rig.events('t1');
	const waiting = events.find((event): event is EventOf<'stage_waiting'> => event.type === 'stage_waiting')!;
	const called = events.findLast((event) => event.type === 'stage_reserved')!;
	expect(waiting.class).toBe('quota');
	expect(Date.parse(called.time)).toBeGreaterThanOrEqual(Date.parse(waiting.until));
	expect((await rig.stats('t1')).paid_calls_used).toBe(2);
});

test('a reset further away than max_wait_sec is a quota for a human', async () => {
	await using rig = await Rig.create();
	await rig.servant(
		'codex',
		`cat > /dev/null\n${say(JSON.stringify({ type: 'turn.failed', error: { message: 'unexpected status 429: rate limit reached, try again in 5000s' } }))}\nexit 1`,
	);
	await rig.packet('t1', onlyReview);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	expect((await rig.lastFailure('t1')).class).toBe('quota');
});

test('max_cost_usd ends a servant that spends past it, while it runs', async () => {
	await using rig = await Rig.create();
	await rig.textServant(
		'spender',
		`cat > /dev/null\n${say(JSON.stringify({ type: 'step', cost: 0.9 }))}\n${say(JSON.stringify({ type: 'step', cost: 0.9 }))}\nsleep 60`,
		{
			output: 'jsonl',
			stream: { cost_usd: { path: 'cost' }, step: { when: { type: 'step' } } },
		},
	);
	await rig.packet('t1', { task_type: 'explore', provider: 'spender', budgets: { max_cost_usd: 1 } });
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(4);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'budget_exhausted' });
	expect(rig.living()).toEqual([]);
});

describe.each([0, 0.2, 0.6])('a budget of cost does not ask how fast a servant is: %s s after its last event', (linger) => {
	const spender = async (events: object[]): Promise<Rig> => {
		const rig = await Rig.create();
		const lines = say(events.map((event) => JSON.stringify(event)).join('\n'));
		await rig.textServant('spender', `cat > /dev/null; echo call >> "$SEEN/calls"\n${lines}\nsleep ${linger}`, {
			output: 'jsonl',
			stream: { cost_usd: { path: 'cost' }, text: { path: 'text' }, success: { when: { type: 'done' } } },
		});
		const stages = { routing: { intent: 'two' } };
		await rig.write('configs/pipeline/plan.yaml', 'profiles:\n  two: {stages: [spender_draft, spender_enrich]}\n');
		await rig.packet('t1', { ...stages, budgets: { max_cost_usd: 0.5 } });
		return rig;
	};

	test('past it before its success event it is ended', async () => {
		await using rig = await spender([{ cost: 0.6 }, { type: 'done', text: 'A fine answer.' }]);
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(4);
		expect(await rig.lastFailure('t1')).toMatchObject({
			class: 'budget_exhausted',
			stage: 'spender_draft',
			reason: 'cost 0.60 USD, budget 0.50 USD',
		});
	});

	test('what comes with it is paid for, and so is the answer; the next call is refused', async () => {
		await using rig = await spender([{ type: 'done', text: 'A fine answer.', cost: 0.6 }]);
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(4);
		expect(rig.has('.tmp/task/t1/done/spender_draft.done')).toBe(true);
		expect(await rig.lastFailure('t1')).toMatchObject({ class: 'budget_exhausted', stage: 'spender_enrich' });
		expect(rig.seen('calls')).toHaveLength(1);
	});
});

test('more output than allowed fails a servant that has ended before anybody looked', async () => {
	await using rig = await Rig.create();
	const limit = { wrapper_defaults: { max_output_mb: 1 } };
	await rig.textServant('loud', 'cat > /dev/null; head -c 3000000 /dev/zero | tr "\\0" a', limit);
	await rig.textServant('cross', 'cat > /dev/null; head -c 3000000 /dev/zero | tr "\\0" a >&2; echo fine', limit);
	for (const provider of ['loud', 'cross']) {
		await rig.packet(provider, { task_type: 'explore', provider });
		expect((await rig.dispatch('run', provider)).exitCode).toBe(1);
		expect(await rig.lastFailure(provider)).toMatchObject({ class: 'output_limit', reason: 'more than 1 MB of output' });
	}
});

test('resume continues the servant’s own session, and cumulative usage is counted once', async () => {
	await using rig = await Rig.create();
	const events = (usage: object, text: string) =>
		say(
			[
				JSON.stringify({ type: 'thread.started', thread_id: 'th-7' }),
				JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } }),
				JSON.stringify({ type: 'turn.completed', usage }),
			].join('\n'),
		);
	await rig.servant(
		'codex',
		`cat > "$SEEN/prompt"; echo "$*" >> "$SEEN/argv"\ncase "$*" in *resume*) ${events({ input_tokens: 3000, cached_input_tokens: 0, output_tokens: 60 }, answers.review!)}\n;; *) ${events({ input_tokens: 1000, cached_input_tokens: 0, output_tokens: 20 }, 'nothing yet')}\nsleep 60;; esac`,
	);
	await rig.packet('t1', { ...onlyReview, budgets: { max_wallclock_sec: 1 } }, { 'context_pack.md': '# What it has read already\n' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).next_action).toBe('resume: dispatch resume t1');
	expect((await rig.dispatch('resume', 't1')).exitCode).toBe(0);
	expect(rig.seen('argv')[1]).toContain('resume');
	expect(rig.seen('argv')[1]).toContain('th-7');
	expect((await rig.meta('t1', 'codex_review', 'codex')).usage.input_tokens).toBe(2000);
	expect((await rig.stats('t1')).usage.input_tokens).toBe(3000);
	expect(await rig.read('.tmp/task/t1/inputs/prompt/codex.review.md')).not.toContain('read already');
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await rig.summary('t1')).not.toContain('inputs changed');
});

test('--from runs a stage and what needs it again; --fresh all; old attempts are kept', async () => {
	await using rig = await Rig.create();
	for (const [tool, says] of [
		['codex', codexSays],
		['gemini', geminiSays],
		['copilot', copilotSays],
	] as const)
		await rig.servant(tool, says(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_cross' }, budgets: { paid_call_budget: 20 } });
	const calls = () =>
		rig
			.seen('calls')
			.map((line) => line.split(' ')[0])
			.sort()
			.join(' ');
	await rig.dispatch('run', 't1');
	await rig.dispatch('run', 't1', '--from', 'codex_review');
	expect(calls()).toBe('codex codex copilot copilot gemini');
	await rig.dispatch('run', 't1', '--fresh');
	expect(calls()).toBe('codex codex codex copilot copilot copilot gemini gemini');
	expect(rig.has('.tmp/task/t1/outputs/attempts/codex_review/1/out')).toBe(true);
	expect(rig.has('.tmp/task/t1/outputs/attempts/codex_review/3/out')).toBe(true);
	const wrong = await rig.dispatch('run', 't1', '--from', 'codex_revew');
	expect(wrong.exitCode).toBe(2);
	expect(wrong.stderr).toContain('codex_review');
});

test('what a stage published when it ran before, and lacks now, is taken back; its old attempt keeps it', async () => {
	await using rig = await Rig.create();
	const { runbook, explore } = answers;
	await rig.servant('copilot', copilotSays(runbook!, '[ -e "$SEEN/go" ] || echo two >> src/a.txt'));
	await rig.textServant('reader', `cat > "$SEEN/prompt"; ${say(explore!)}`);
	const profiles = { book: { stages: ['copilot_runbook', 'reader_explore'] } };
	await rig.write('configs/pipeline/book.yaml', JSON.stringify({ pipeline: 'book', default_profile: 'book', profiles }));
	await rig.packet('t1', { routing: { intent: 'book' }, scope: { allow: ['src'] } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(rig.seen('prompt').join('\n')).toContain('+two');
	await rig.let('go');
	expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(0);
	expect(rig.has('.tmp/task/t1/outputs/copilot_runbook.patch')).toBe(false);
	expect((await rig.dispatch('diff', 't1')).stdout).not.toContain('+two');
	expect(rig.seen('prompt').join('\n')).not.toContain('+two');
	expect(await rig.read('.tmp/task/t1/outputs/attempts/copilot_runbook/1/patch')).toContain('+two');
});

test('changed inputs of a done stage are told, and not paid for', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!));
	await rig.packet('t1', onlyReview, { 'user_request.md': 'first' });
	await rig.dispatch('run', 't1');
	await rig.write('.tmp/task/t1/inputs/user_request.md', 'second');
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.summary('t1')).toContain('inputs changed since this stage ran');
});

test('a file in the work tree that takes the output of the run is no change of a servant', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `cat > /dev/null\n${say(answers.review!)}`);
	const manifest = { provider: 'mine', workspace: 'inplace', scope: { allow: ['**'] }, budgets: { retry_budget: 0 } };
	await rig.packet('reads', { ...manifest, task_type: 'review' });
	await rig.packet('idle', { ...manifest, task_type: 'task' });
	const binary = process.env.DISPATCH_BINARY ?? join(import.meta.dirname, '../../dist/bin.js');
	expect((await rig.sh(`node '${binary}' run reads > run.log 2> errors.log`)).exitCode).toBe(0);
	expect((await rig.sh(`node '${binary}' run idle --json > run.log 2>&1`)).exitCode).toBe(1);
	expect((await rig.lastFailure('idle')).class).toBe('no_change');
	await rig.servant('mine-cli', `cat > /dev/null; echo x > other.log\n${say(answers.review!)}`);
	await rig.sh(`node '${binary}' run reads --fresh > run.log`);
	expect(await rig.lastFailure('reads')).toMatchObject({ class: 'scope_violation', reason: 'a reading stage changed other.log' });
});

test('a stage that is run again is not said to have run with other inputs', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`, '[ ! -e "$SEEN/fail" ] || exit 3'));
	await rig.packet('t1', { routing: { intent: 'codex_only' } }, { 'user_request.md': 'first' });
	await rig.dispatch('run', 't1');
	await rig.write('.tmp/task/t1/inputs/user_request.md', 'second');
	expect((await rig.dispatch('run', 't1', '--from', 'codex_verify')).exitCode).toBe(0);
	expect(await rig.summary('t1')).toMatch(/^- codex_review: inputs changed since this stage ran$/m);
	expect(await rig.summary('t1')).not.toContain('codex_verify: inputs changed');
	await rig.let('fail');
	expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(1);
	expect(await rig.summary('t1')).not.toContain('inputs changed');
});

test('independent stages run side by side', async () => {
	await using rig = await Rig.create();
	const meet = (me: string, other: string) => `: > "$SEEN/${me}-here"; while [ ! -e "$SEEN/${other}-here" ]; do sleep 0.02; done`;
	await rig.servant('codex', codexSays(answers.review!, meet('codex', 'gemini')));
	await rig.servant('gemini', geminiSays(answers.review!, meet('gemini', 'codex')));
	await rig.servant('copilot', copilotSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_cross' }, budgets: { max_wallclock_sec: 20 } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await rig.read('.tmp/task/t1/inputs/prompt/copilot.review_consolidate.md')).toContain('outputs/gemini_review.gemini.out');
});

test('more than ten stages side by side are nothing that node complains of', async () => {
	await using rig = await Rig.create();
	const stages = Array.from({ length: 12 }, (_, at) => (at === 0 ? 'wide_explore' : `wide_explore-${at + 1}`));
	const needs = Object.fromEntries(stages.map((stage) => [stage, []]));
	await rig.write('configs/pipeline/wide.yaml', JSON.stringify({ profiles: { wide: { stages, needs } } }));
	await rig.textServant(
		'wide',
		`cat > /dev/null; echo x >> "$SEEN/began"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say('One file.')}`,
	);
	await rig.packet('t1', { routing: { intent: 'wide' }, budgets: { paid_call_budget: 12 } });
	const run = rig.start(['run', 't1', '--quiet']);
	await rig.until('all have begun', () => rig.seen('began').length === 12);
	await rig.let('go');
	expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a writer in place tells that it waits for the work tree only when it waits for somebody', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays('done\n\nPASS', 'case "$*" in *workspace-write*) echo x >> src/a.txt;; esac'));
	await rig.textServant('mine', `: > "$SEEN/reading"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say(answers.explore!)}`);
	const flags = { enable_brief: false, enable_review: false };
	for (const id of ['alone', 'second'])
		await rig.packet(id, {
			routing: { intent: 'safe_impl', pipeline: { flags } },
			scope: { allow: ['src'] },
			acceptance: { commands: ['true'] },
		});
	expect(await rig.dispatch('run', 'alone')).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('waiting') });
	await rig.packet('reader', { task_type: 'explore', provider: 'mine' });
	const reader = rig.start(['run', 'reader']);
	await rig.until('it reads', () => rig.seenFiles().includes('reading'));
	const writer = rig.start(['run', 'second']);
	let said = '';
	writer.child.stdout!.on('data', (text: string) => {
		said += text;
	});
	await rig.until('it tells', () => said.includes('codex_impl waiting for the work tree'));
	await rig.let('go');
	expect((await Promise.all([reader.ended, writer.ended])).map((ran) => ran.exitCode)).toEqual([0, 0]);
});

test('several packets run in the background: it returns when the first of them runs, and a second try leaves the log alone', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, 'while [ ! -e "$SEEN/go" ]; do sleep 0.02; done'));
	await rig.packet('parent', onlyReview);
	await rig.packet('child', { ...onlyReview, depends_on: 'parent' });
	const ran = await rig.dispatch('run', 'child', 'parent', '--detach');
	expect(ran).toMatchObject({
		exitCode: 0,
		stdout: expect.stringMatching(
			/^parent, child run in the background \(process \d+\), now parent; dispatch wait parent waits for its end\n$/,
		),
	});
	const log = async () => rig.read('.tmp/cache/detached/parent.log');
	await rig.until('it has told something', async () => (await log()).includes('codex_review started'));
	const again = await rig.dispatch('run', 'parent', '--detach');
	expect(again.exitCode).toBe(5);
	expect(again.stdout).not.toContain('codex_review started');
	expect(await log()).toContain('codex_review started');
	await rig.let('go');
	await rig.until('the child is done', async () => rig.has('.tmp/task/child/done/codex_review.done'));
	expect((await rig.dispatch('wait', 'child')).exitCode).toBe(0);
});

test('a run that is stopped while it reviews was interrupted', async () => {
	await using rig = await Rig.create();
	await rig.textServant('writer', `cat > /dev/null\necho two >> src/a.txt\n${say(answers.impl!)}`);
	await rig.textServant('critic', 'cat > /dev/null\n: > "$SEEN/reviewing"\nsleep 60');
	await rig.write('configs/dispatch.yaml', 'provider: writer\ntask_providers:\n  review: critic\n');
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	await rig.packet('t1', { task_type: 'implement', routing: { intent: 'one' }, scope: { allow: ['**'] }, create_review: true });
	const run = rig.start(['run', 't1']);
	await rig.until('it reviews', () => rig.seenFiles().includes('reviewing'));
	run.child.kill('SIGTERM');
	expect((await run.ended).exitCode).toBe(130);
	expect(await rig.summary('t1')).toContain('status: completed');
});

test('--detach returns at once, wait exits as the run did, stop ends it', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, 'while [ ! -e "$SEEN/go" ]; do sleep 0.02; done'));
	await rig.packet('t1', onlyReview);
	await rig.packet('t2', onlyReview);
	expect((await rig.dispatch('run', 't2', '--detach')).exitCode).toBe(0);
	expect((await rig.dispatch('run', 't2')).exitCode).toBe(5);
	expect((await rig.dispatch('stop', 't2')).exitCode).toBe(0);
	expect((await rig.dispatch('wait', 't2')).exitCode).toBe(130);
	expect(rig.living()).toEqual([]);
	const detached = await rig.dispatch('run', 't1', '--detach', '--json');
	expect(detached.exitCode).toBe(0);
	expect(JSON.parse(detached.stdout)).toEqual({ task_ids: ['t1'], pid: expect.any(Number), next_action: 'wait: dispatch wait t1' });
	const waiting = rig.start(['wait', 't1']);
	await rig.let('go');
	expect((await waiting.ended).exitCode).toBe(0);
	expect(await rig.summary('t1')).toContain('status: completed');
});

test('commands that a model wrote run only as allowed; refused ones are named', async () => {
	await using rig = await Rig.create();
	const brief = answers.brief!.replace('```sh\ntrue\n```', '```sh\nnpm test\ntouch pwned\n```');
	await rig.servant('gemini', geminiSays(brief));
	await rig.servant('codex', codexSays('done\n\nPASS', 'case "$*" in *workspace-write*) echo x >> src/a.txt;; esac'));
	await rig.packet('t1', {
		routing: { intent: 'safe_impl', pipeline: { flags: { enable_review: false } } },
		scope: { allow: ['src'] },
		acceptance: { commands: ['true'] },
	});
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(rig.has('pwned')).toBe(false);
	expect(rig.has('.tmp/task/t1/state/acceptance.commands.override')).toBe(false);
	expect(await rig.summary('t1')).toContain('touch pwned');
	const finished = (await rig.events('t1')).find(
		(event): event is EventOf<'stage_finished'> => event.type === 'stage_finished' && event.stage === 'gemini_brief',
	);
	expect(finished?.handoff?.refused_commands).toContain('touch pwned');
});
