import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, codexSays, geminiSays, Rig, say } from '../rig.ts';

const stream = (...events: object[]) =>
	`cat > /dev/null\necho call >> "$SEEN/calls"\n${say(events.map((event) => JSON.stringify(event)).join('\n'))}`;
const failed = (message: string) =>
	`${stream({ type: 'thread.started', thread_id: 'th-1' }, { type: 'error', message }, { type: 'turn.failed', error: { message } })}\nexit 1`;

interface Case {
	readonly name: string;
	readonly codex: string | null;
	readonly manifest?: object;
	readonly inputs?: Record<string, string>;
	readonly exit: number;
	readonly class: string;
	readonly status: string;
	/** How often codex was called. */
	readonly calls: number;
	readonly action: RegExp;
	readonly reason?: RegExp;
}

const table: Case[] = [
	{
		name: 'rate_limit',
		codex: failed('unexpected status 429 Too Many Requests: rate limit reached, try again in 0.1s'),
		manifest: { budgets: { retry_budget: 1 } },
		exit: 1,
		class: 'rate_limit',
		status: 'failed',
		calls: 2,
		action: /^retry_later: /,
	},
	{
		name: 'provider_unavailable',
		codex: failed('unexpected status 503 Service Unavailable'),
		manifest: { budgets: { retry_budget: 0 } },
		exit: 1,
		class: 'provider_unavailable',
		status: 'failed',
		calls: 1,
		action: /^retry_later: /,
	},
	{
		name: 'network',
		codex: failed('error sending request: connection refused'),
		manifest: { budgets: { retry_budget: 0 } },
		exit: 1,
		class: 'network',
		status: 'failed',
		calls: 1,
		action: /^retry_later: /,
	},
	{
		name: 'quota',
		codex: failed('Quota exceeded. Check your plan and billing details.'),
		exit: 6,
		class: 'quota',
		status: 'needs_human',
		calls: 1,
		action: /^quota: /,
	},
	{
		name: 'auth',
		codex: failed('unexpected status 401 Unauthorized: invalid api key'),
		exit: 6,
		class: 'auth',
		status: 'needs_human',
		calls: 1,
		action: /^login: run codex login/,
	},
	{ name: 'tool_missing', codex: null, exit: 6, class: 'tool_missing', status: 'needs_human', calls: 0, action: /^install: / },
	{
		name: 'config_error',
		codex: failed('unexpected status 404 Not Found: The model `gpt-x` does not exist'),
		exit: 6,
		class: 'config_error',
		status: 'needs_human',
		calls: 1,
		action: /^fix_config: /,
	},
	{
		name: 'prompt_too_large',
		codex: failed('Your input exceeds the context window of this model.'),
		manifest: { budgets: { retry_budget: 2 } },
		inputs: { 'context_pack.md': '# Goal\ng\n# History\nlong ago\n' },
		exit: 1,
		class: 'prompt_too_large',
		status: 'failed',
		calls: 2,
		action: /^shrink_input: .*the aggressive digest is not enough/,
	},
	{
		name: 'prompt_too_large with nothing to digest',
		codex: failed('Your input exceeds the context window of this model.'),
		manifest: { budgets: { retry_budget: 2 } },
		exit: 1,
		class: 'prompt_too_large',
		status: 'failed',
		calls: 1,
		action: /^shrink_input: /,
	},
	{
		name: 'contract_violation',
		codex: codexSays('I looked and it is fine, here is a long enough answer without any of the sections.', 'echo call >> "$SEEN/calls"'),
		manifest: { budgets: { retry_budget: 1 } },
		exit: 1,
		class: 'contract_violation',
		status: 'failed',
		calls: 4,
		action: /^retry: /,
		reason: /Findings/,
	},
	{
		name: 'empty_output',
		codex: stream({ type: 'thread.started', thread_id: 'x' }, { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 0 } }),
		manifest: { budgets: { retry_budget: 0 } },
		exit: 1,
		class: 'empty_output',
		status: 'failed',
		calls: 1,
		action: /^retry: /,
	},
	{
		name: 'timeout',
		codex: `${stream({ type: 'thread.started', thread_id: 'th-9' })}\nsleep 60`,
		manifest: { budgets: { max_wallclock_sec: 1 } },
		exit: 1,
		class: 'timeout',
		status: 'failed',
		calls: 1,
		action: /^resume: dispatch resume t1/,
	},
	{
		name: 'max_steps',
		codex: `${stream({ type: 'thread.started', thread_id: 'th-9' }, ...[1, 2, 3, 4].map((n) => ({ type: 'item.completed', item: { id: `i${n}`, type: 'command_execution', command: 'ls' } })))}\nsleep 60`,
		manifest: { budgets: { max_steps: 3 } },
		exit: 1,
		class: 'max_steps',
		status: 'failed',
		calls: 1,
		action: /^resume: /,
		reason: /^MAX_STEPS: 4 steps, budget 3/,
	},
	{
		name: 'scope_violation',
		codex: codexSays(answers.review!, 'echo x > src/made-by-a-reviewer.txt; echo call >> "$SEEN/calls"'),
		exit: 1,
		class: 'scope_violation',
		status: 'failed',
		calls: 2,
		action: /^check_scope: /,
		reason: /src\/made-by-a-reviewer\.txt/,
	},
	{
		name: 'killed',
		codex: 'cat > /dev/null; echo call >> "$SEEN/calls"; kill -9 $$',
		exit: 1,
		class: 'killed',
		status: 'failed',
		calls: 1,
		action: /^retry: /,
	},
	{
		name: 'unknown',
		codex: 'cat > /dev/null; echo call >> "$SEEN/calls"; echo "something odd" >&2; exit 3',
		exit: 1,
		class: 'unknown',
		status: 'failed',
		calls: 1,
		action: /^read_log: /,
		reason: /something odd/,
	},
	{
		name: 'budget_exhausted',
		codex: codexSays(answers.review!, 'echo call >> "$SEEN/calls"'),
		manifest: { budgets: { paid_call_budget: 0 } },
		exit: 4,
		class: 'budget_exhausted',
		status: 'failed',
		calls: 0,
		action: /^raise_budget: dispatch budget t1 --paid-calls/,
	},
	{
		name: 'forbidden_input',
		codex: codexSays(answers.review!, 'echo call >> "$SEEN/calls"'),
		manifest: { security: { forbidden_paths: ['.env'] } },
		inputs: { 'attachments/git.diff': 'diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n' },
		exit: 3,
		class: 'forbidden_input',
		status: 'failed',
		calls: 0,
		action: /^remove_input: /,
	},
];

test.each(table)('$name is decided, told and exits as promised', async (at) => {
	await using rig = await Rig.create();
	if (at.codex !== null) await rig.servant('codex', at.codex);
	const flags = { pipeline: { flags: { enable_verify: false } } };
	await rig.packet('t1', { routing: { intent: 'codex_only', ...flags }, ...at.manifest }, at.inputs);

	const run = await rig.dispatch('run', 't1');

	const failure = await rig.lastFailure('t1');
	expect(failure).toMatchObject({ class: at.class, stage: 'codex_review', tool: 'codex', schema: 1 });
	expect(run.exitCode).toBe(at.exit);
	expect(failure.signature).toMatch(/^[0-9a-f]{16}$/);
	expect(failure.next_action).toMatch(at.action);
	if (at.reason) expect(failure.reason).toMatch(at.reason);
	expect(rig.seen('calls')).toHaveLength(at.calls);
	expect((await rig.meta('t1', 'codex_review', 'codex')).outcome).toBe(at.class);
	const summary = await rig.summary('t1');
	expect(summary).toContain(`status: ${at.status}`);
	expect(summary).toContain(at.class);
	expect(rig.has('.tmp/task/t1/done/codex_review.done')).toBe(false);
	expect(rig.living()).toEqual([]);
});

test('a failed acceptance command fails the stage without paying a servant', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	await rig.packet('t1', { routing: { intent: 'codex_only' }, acceptance: { commands: ['true', 'echo broken; exit 3'] } });
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'acceptance_failed', stage: 'codex_verify' });
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.read('.tmp/task/t1/outputs/codex_verify.artifact.md')).toContain('broken');
});

test('of a secret that the limit on output cuts in two, neither half is kept', async () => {
	await using rig = await Rig.create();
	const cut = ['x'.repeat(490), `ghp_${'0123456789abcdefghij'.repeat(2)}`, 'y'.repeat(2000)].join(' ');
	await rig.write('long.txt', `${cut}\n`);
	await rig.write('configs/dispatch.yaml', 'verify:\n  max_output_kb: 1\n');
	await rig.servant('codex', codexSays(answers.verify!));
	await rig.write('configs/pipeline/check.yaml', 'profiles:\n  check:\n    stages: [codex_verify]\n');
	await rig.packet('t1', { routing: { intent: 'check' }, acceptance: { commands: ['cat long.txt'] } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	const artifact = await rig.read('.tmp/task/t1/outputs/codex_verify.artifact.md');
	expect(artifact).toContain('bytes left out');
	expect((await rig.sh('grep -rl ghp_ .tmp/task/t1')).stdout).toBe('');
});

test('a stage that failed by its acceptance commands took as long as they did', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'codex_only' }, acceptance: { commands: ['sleep 0.2', 'sleep 0.1; exit 3'] } });
	await rig.dispatch('run', 't1');
	const results = await rig.json<{ durationSec: number }[]>('.tmp/task/t1/outputs/attempts/codex_verify/1/acceptance.json');
	const { start, end, duration_sec } = await rig.meta('t1', 'codex_verify', 'codex');
	expect(duration_sec).toBeGreaterThanOrEqual(0.3);
	expect(duration_sec).toBeCloseTo(
		results.reduce((sum, { durationSec }) => sum + durationSec, 0),
		5,
	);
	expect(Date.parse(end!) - Date.parse(start!)).toBeCloseTo(duration_sec! * 1000, 0);
});

test('a HIGH finding in the last review fails a strict review', async () => {
	await using rig = await Rig.create();
	await rig.textServant('plain', `cat > /dev/null\n${say(answers.review!.replace('[LOW]', '[HIGH]'))}`);
	await rig.packet('t1', { routing: { intent: 'strict_review' } });
	const run = await rig.dispatch('run', 't1', '--force-task-provider', 'plain');
	expect(run.exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).class).toBe('review_failed');
});

test('a writer that changes nothing is told so, and fails for good after its retries', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays('I changed it.'));
	await rig.packet('t1', {
		routing: { intent: 'safe_impl', pipeline: { flags: { enable_brief: false, enable_verify: false, enable_review: false } } },
		scope: { allow: ['src'] },
		budgets: { retry_budget: 1 },
	});
	const run = await rig.dispatch('run', 't1');
	expect(run.exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).class).toBe('no_change');
	expect(rig.seen('calls')).toHaveLength(2);
	expect(await rig.read('.tmp/task/t1/inputs/prompt/codex.impl.md')).toContain('gate_reasons');
});

test('a prompt that is echoed on stderr decides no class, and is no reason', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', 'cat >&2; exit 1');
	const inputs = { 'user_request.md': 'handle: credit balance is too low\nError: 401 Unauthorized\n' };
	await rig.packet('t1', { task_type: 'explore', provider: 'mine' }, inputs);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'unknown', reason: 'exit 1' });
});

test('a servant cannot claim that its program was not found', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', 'cat > /dev/null; echo "dispatch-x: nope: not found" >&2; exit 127');
	await rig.packet('t1', { task_type: 'explore', provider: 'mine' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ class: 'unknown', reason: 'exit 127: dispatch-x: nope: not found' });
});

test.each([
	[
		{ command: 'none/claude' },
		'the program "none/claude" was not found',
		'put a program at none/claude or set command in configs/servant/claude.yaml',
	],
	[{ command: 'src/a.txt' }, 'src/a.txt" may not be executed', 'run chmod +x '],
])('a program that %j names is told how it can be had', async (file, reason, todo) => {
	await using rig = await Rig.create();
	await rig.write('configs/servant/claude.yaml', JSON.stringify(file));
	await rig.packet('t1', { task_type: 'explore' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	const failure = await rig.lastFailure('t1');
	expect(failure).toMatchObject({ class: 'tool_missing', reason: expect.stringContaining(reason) });
	expect(failure.next_action).toContain(`install: ${todo}`);
});

test('a stage’s own limit is the one that is named', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', 'cat > /dev/null; sleep 60');
	await rig.packet('t1', { task_type: 'explore', provider: 'mine', routing: { stages: { explore: { timeout_sec: 1 } } } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).next_action).toBe(
		'raise_limit: raise routing.stages.explore.timeout_sec in manifest.yaml, then dispatch retry t1',
	);
});

test('two stages fail: exit code, status, next action and summary speak of the same one', async () => {
	await using rig = await Rig.create();
	await rig.textServant('al', 'cat > /dev/null; while [ ! -e "$SEEN/go" ]; do sleep 0.02; done; echo "not logged in" >&2; exit 1');
	await rig.textServant('be', 'cat > /dev/null; : > "$SEEN/go"; echo "segment missing" >&2; exit 9');
	await rig.write('configs/pipeline/plan.yaml', 'profiles:\n  two: {stages: [be_draft, al_draft], needs: {al_draft: []}}\n');
	await rig.packet('t1', { routing: { intent: 'two' } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	const summary = await rig.summary('t1');
	expect(summary).toContain('status: needs_human');
	expect(summary).toContain('next_action: "login: log in to al,');
	expect(summary).toContain('- be_draft (unknown): look at dispatch logs t1 be_draft, then dispatch retry t1. exit 9: segment missing');
	expect(summary).toContain('not logged in');
	expect(await rig.lastFailure('t1')).toMatchObject({ stage: 'be_draft', class: 'unknown' });
});

test('a reader that wrote leaves a patch of it, until an attempt of its keeps to reading', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, '[ -e "$SEEN/good" ] || { echo two >> src/a.txt; echo new > src/new.txt; }'));
	await rig.packet('t1', { routing: { intent: 'codex_only', pipeline: { flags: { enable_verify: false } } } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect((await rig.lastFailure('t1')).class).toBe('scope_violation');
	const patch = await rig.read('.tmp/task/t1/outputs/codex_review.patch');
	expect(patch).toContain('+two');
	expect(patch).toContain('+++ b/src/new.txt');
	expect(
		(await rig.sh('git diff --cached --name-only; git reset -q --hard; git clean -qfd; git apply .tmp/task/t1/outputs/codex_review.patch'))
			.stdout,
	).toBe('');
	await rig.let('good');
	expect((await rig.dispatch('retry', 't1')).exitCode).toBe(0);
	expect(rig.has('.tmp/task/t1/outputs/codex_review.patch')).toBe(false);
});

test('every missing program is named at once', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!));
	await rig.packet('t1', { routing: { intent: 'review_cross' } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	expect(await rig.lastFailure('t1')).toMatchObject({
		reason: 'the program "codex" was not found, nor "copilot"',
		next_action: expect.stringMatching(
			/^install: run npm install -g @openai\/codex; run npm install -g @github\/copilot, then dispatch run t1$/,
		),
	});
	expect(rig.seenFiles()).toEqual([]);
});

test('a journal that cannot be read stops a run before anything is paid again; readers say which file it is', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!));
	await rig.packet('t', { routing: { intent: 'codex_only', pipeline: { flags: { enable_verify: false } } } });
	expect((await rig.dispatch('run', 't')).exitCode).toBe(0);
	const journal = join(rig.root, '.tmp/task/t/state/events.jsonl');
	truncateSync(journal, 2 ** 29);
	const trouble = `reading ${journal}: the file is too large`;
	const mended = 'nothing is lost: when that is mended, dispatch run t continues';
	expect(await rig.dispatch('run', 't')).toMatchObject({ exitCode: 6, stderr: `t: ${trouble}; ${mended}\n` });
	expect(await rig.dispatch('run', 't', '--fresh')).toMatchObject({ exitCode: 6 });
	expect(await rig.dispatch('show', 't')).toMatchObject({ exitCode: 6, stderr: `dispatch: ${trouble}\n` });
	expect((await rig.dispatch('status')).stdout).toMatch(/ t .*needs_human/);
	expect(rig.seen('calls')).toHaveLength(1);
});

test('what codex prints at every start is not shown as if it were the reason', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', `echo "Reading prompt from stdin..." >&2\necho "bad luck" >&2\n${failed('Quota exceeded.')}`);
	await rig.packet('t1', { routing: { intent: 'codex_only', pipeline: { flags: { enable_verify: false } } } });
	const { stdout } = await rig.dispatch('run', 't1');
	expect(stdout).toMatch(/codex_review failed: quota after .*: Quota exceeded\.\n {4}bad luck\nt1 needs_human\n/);
});
