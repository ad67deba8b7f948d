import { expect, test } from 'vitest';
import type { Ask } from '../../src/contract/servant.ts';
import { builtInTools, servantFor } from '../../src/servant/servants.ts';
import { ask } from './ask.ts';

const lineOf = (tool: string, given: Partial<Ask>) => {
	const { command, args } = servantFor(tool, undefined).invocation({ ...ask, ...given });
	return [command, ...args].join(' ');
};

test('claude: reads without being able to edit, writes within the work tree', () => {
	expect(lineOf('claude', { model: 'opus', effort: 'high' })).toBe(
		'claude -p --output-format stream-json --verbose --include-partial-messages --model opus --effort high --max-turns 30 --permission-mode dontAsk --allowedTools Read,Grep,Glob --disallowedTools Edit,Write,NotebookEdit --session-id 11111111-1111-4111-8111-111111111111',
	);
	expect(lineOf('claude', { access: 'write', session: 's1' })).toBe(
		'claude -p --output-format stream-json --verbose --include-partial-messages --max-turns 30 --permission-mode acceptEdits --allowedTools Bash --resume s1',
	);
});

test('codex: the sandbox is set for a resumed session too, where there is no flag for it', () => {
	expect(lineOf('codex', { model: 'gpt-5.5', effort: 'high' })).toBe(
		'codex exec --sandbox read-only --json --skip-git-repo-check -m gpt-5.5 -c approval_policy="never" -c analytics.enabled=false -c model_reasoning_effort="high"',
	);
	expect(lineOf('codex', { access: 'write' })).toContain('--sandbox workspace-write');
	expect(lineOf('codex', { session: 's1' })).toBe(
		'codex exec resume s1 --json --skip-git-repo-check -c sandbox_mode="read-only" -c approval_policy="never" -c analytics.enabled=false -',
	);
});

test('gemini: a reader gets rules of its own, a writer the configured mode', () => {
	expect(lineOf('gemini', { model: 'pro' })).toBe(
		'gemini --output-format stream-json --skip-trust --approval-mode default --admin-policy /attempt/scratch/policy.toml -m pro --session-id 11111111-1111-4111-8111-111111111111',
	);
	const wrapper = { approvalMode: 'yolo', sandbox: true };
	expect(lineOf('gemini', { access: 'write', session: 's1', wrapper })).toBe(
		'gemini --output-format stream-json --skip-trust --approval-mode yolo --sandbox --resume s1',
	);
	expect(lineOf('gemini', { wrapper })).toContain('--approval-mode default');
	const { files } = servantFor('gemini', undefined).invocation(ask);
	expect(files['/attempt/scratch/policy.toml']).toContain(
		'toolName = ["write_file", "replace", "enter_plan_mode", "exit_plan_mode"]\ndecision = "deny"',
	);
});

test('copilot: a reader is refused every write, a writer gets files and shell', () => {
	const head =
		'copilot --output-format json --no-color --no-auto-update --no-ask-user --no-remote --disable-builtin-mcps --disable-client-telemetry --usage-output-file /attempt/scratch/usage.json';
	expect(lineOf('copilot', { effort: 'low' })).toBe(
		`${head} --reasoning-effort low --deny-tool=write --session-id=11111111-1111-4111-8111-111111111111`,
	);
	expect(lineOf('copilot', { access: 'write', session: 's1', model: 'gpt-5.4' })).toBe(
		`${head} --model gpt-5.4 --allow-tool=write --allow-tool=shell --resume=s1`,
	);
});

test.each(builtInTools)('%s: nothing is allowed wholesale, and the prompt stays off the command line', (tool) => {
	for (const access of ['read', 'write'] as const) {
		for (const session of [null, 's1']) {
			const made = servantFor(tool, undefined).invocation({ ...ask, access, session, stage: 'x_review', role: 'review' });
			const line = made.args.join(' ');
			expect(line).not.toMatch(/bypass|dangerous|danger-full|yolo|allow-all|skip-permissions/);
			if (access === 'read') expect(line).not.toMatch(/acceptEdits|workspace-write|auto_edit|--allow-tool/);
			expect(line).not.toContain(ask.promptFile);
			expect([made.prompt, made.output]).toEqual(['stdin', 'jsonl']);
			for (const path of Object.keys(made.files)) expect(path.startsWith(`${ask.scratch}/`)).toBe(true);
		}
	}
});

test('a servant file may name the program, more variables, and whether it is paid', () => {
	const servant = servantFor('claude', { command: '/opt/claude', env: ['MY_KEY', 'ANTHROPIC_API_KEY'], paid: false });
	expect(servant.invocation(ask).command).toBe('/opt/claude');
	expect(servant.env.filter((name) => name === 'ANTHROPIC_API_KEY')).toHaveLength(1);
	expect(servant.env).toContain('MY_KEY');
	expect(servant.paid).toBe(false);
});

test('a tool named like a part of JavaScript is just a tool', () => {
	expect(servantFor('constructor', undefined).invocation(ask).command).toBe('constructor');
});
