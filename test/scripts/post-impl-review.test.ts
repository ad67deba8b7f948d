import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir } from '../project-dir.ts';
import { answers, copilotSays, Rig, say } from '../rig.ts';

const script = join(projectDir, 'scripts/agent-cli/post_impl_review.sh');

const contextPack = `# Context

## 0. Goal
Ship it.

## Verify Commands

\`\`\`sh
# what counts
test -f src/a.txt
echo 'it''s' "fine" > "$PWD/.tmp/ran"
\`\`\`

\`\`\`sh
exit 9
\`\`\`
`;

/** An agent CLI that answers by the role its prompt asks for. */
async function fakes(rig: Rig, { verify = answers.verify! } = {}): Promise<void> {
	const cases = (roles: Record<string, string>, event: (text: string) => object[]) =>
		`prompt=$(cat)\ncase "$prompt" in\n${Object.entries(roles)
			.map(
				([title, text]) =>
					`*"# ${title}"*) ${say(
						event(text)
							.map((line) => JSON.stringify(line))
							.join('\n'),
					)}\n;;`,
			)
			.join('\n')}\nesac`;
	await rig.servant(
		'gemini',
		cases({ 'Review for': answers.review!, 'Design the tests': answers.test_design!, 'Check task': answers.static_verify! }, (text) => [
			{ type: 'init', session_id: 'g', model: 'pro' },
			{ type: 'message', role: 'assistant', content: text, delta: true },
			{ type: 'result', status: 'success', stats: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
		]),
	);
	await rig.servant(
		'codex',
		cases(
			{ 'Review for': answers.review!.replace('APPROVED', 'NEEDS_DISCUSSION'), 'Propose tests': answers.test_impl!, 'Verify task': verify },
			(text) => [
				{ type: 'thread.started', thread_id: 't' },
				{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
				{ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
			],
		),
	);
	await rig.write('docs/context.md', contextPack);
	await rig.write('docs/report of today.md', 'I changed src/a.txt.\n');
	await rig.sh('git add -A && git commit -q -m inputs');
}

const packetOf = (rig: Rig): string => readdirSync(join(rig.root, '.tmp/task')).find((name) => name.startsWith('post-impl-'))!;

test('a post-implementation review runs six stages and leaves its eight files', async () => {
	await using rig = await Rig.create();
	await fakes(rig);
	const run = await rig.sh(`'${script}' docs/context.md 'docs/report of today.md'`);
	expect(run.stderr).toBe('');
	expect(run.exitCode).toBe(0);
	const file = (name: string) => readFileSync(join(rig.root, '.tmp/post-impl', name), 'utf8');
	expect(readdirSync(join(rig.root, '.tmp/post-impl')).sort()).toEqual([
		'codex_precision_review.md',
		'dispatch_summary.md',
		'gemini_review.md',
		'summary.md',
		'test_implementation_report.md',
		'test_matrix.md',
		'verification_checklist.md',
		'verification_report.md',
	]);
	expect(file('gemini_review.md').trim()).toBe(answers.review!.trim());
	expect(file('codex_precision_review.md')).toContain('Verdict: NEEDS_DISCUSSION');
	expect(file('test_matrix.md')).toContain('- case 11');
	expect(file('verification_checklist.md')).toContain('Go/No-Go');
	expect(file('test_implementation_report.md')).toContain('No diff required.');
	expect(file('verification_report.md')).toContain('test -f src/a.txt');
	expect(file('verification_report.md')).toContain('All good.');
	expect(file('dispatch_summary.md')).toContain('status: completed');
	const id = packetOf(rig);
	expect(file('summary.md')).toBe(`# ${id}

- gemini_review.md: wide review, APPROVED
- test_matrix.md: test matrix
- verification_checklist.md: checks before anything is run
- codex_precision_review.md: precise review, NEEDS_DISCUSSION
- test_implementation_report.md: proposed tests
- verification_report.md: acceptance commands and report
- dispatch_summary.md: stages, budgets, next step
`);
	expect(await rig.read(`.tmp/task/${id}/manifest.yaml`)).toBe(`task_id: ${id}
goal: Review what was implemented, against the context pack and the implementation report.
routing:
  intent: post_impl_review
acceptance:
  commands:
    - 'test -f src/a.txt'
    - 'echo ''it''''s'' "fine" > "$PWD/.tmp/ran"'
`);
	expect(await rig.read('.tmp/ran')).toBe('its fine\n');
	expect(await rig.read(`.tmp/task/${id}/inputs/attachments/impl_report.md`)).toBe('I changed src/a.txt.\n');
});

test('with review_cross the consolidated review is the summary', async () => {
	await using rig = await Rig.create();
	await fakes(rig);
	await rig.servant('copilot', copilotSays(`${answers.review!}of both\n`));
	const run = await rig.sh(`'${script}' docs/context.md 'docs/report of today.md' 'my out' review_cross`);
	expect(run.exitCode).toBe(0);
	expect(readdirSync(join(rig.root, 'my out')).sort()).toEqual([
		'codex_precision_review.md',
		'dispatch_summary.md',
		'gemini_review.md',
		'review_consolidated.md',
		'summary.md',
	]);
	expect(await rig.read('my out/summary.md')).toContain('of both');
});

test('a profile of the project leaves an answer for each stage, also through symbolic links', async () => {
	await using rig = await Rig.create();
	await fakes(rig);
	await rig.write('configs/pipeline/quick.yaml', 'profiles:\n  quick:\n    stages: [gemini_review, codex_review-2]\n');
	await rig.write('out/codex_review-2.md', 'old\n');
	await rig.sh(`mkdir tools && ln -s '${script}' tools/first && ln -s first tools/second`);
	const run = await rig.sh("tools/second docs/context.md 'docs/report of today.md' out quick");
	expect(run).toMatchObject({ exitCode: 0, stderr: '' });
	expect(readdirSync(join(rig.root, 'out')).sort()).toEqual(['codex_review-2.md', 'dispatch_summary.md', 'gemini_review.md', 'summary.md']);
	expect(await rig.read('out/codex_review-2.md')).toContain('NEEDS_DISCUSSION');
	expect(await rig.read('out/summary.md')).toContain('- codex_review-2.md: answer of codex_review-2, NEEDS_DISCUSSION\n');
});

test('a failed review exits 1, with the reports there are and none of an earlier call', async () => {
	await using rig = await Rig.create();
	await fakes(rig, { verify: 'Does not work.\n\nFAIL\n' });
	await rig.write('.tmp/post-impl/verification_report.md', 'old\n');
	await rig.write('.tmp/post-impl/review_consolidated.md', 'old\n');
	const run = await rig.sh(`'${script}' docs/context.md 'docs/report of today.md'`);
	expect(run.exitCode).toBe(1);
	expect(run.stderr).toContain('did not complete (dispatch exited 1)');
	expect(await rig.read('.tmp/post-impl/gemini_review.md')).toContain('Findings');
	expect(await rig.read('.tmp/post-impl/verification_report.md')).toContain('Does not work.');
	expect(await rig.read('.tmp/post-impl/dispatch_summary.md')).toContain('status: failed');
	expect(rig.has('.tmp/post-impl/review_consolidated.md')).toBe(false);
});

test('wrong arguments exit 2 and nothing is made', async () => {
	await using rig = await Rig.create();
	await fakes(rig);
	for (const args of [
		'',
		'docs/context.md',
		'docs/context.md no/such.md',
		'docs docs/context.md',
		'a b c d e',
		'docs/context.md docs/context.md out nonsense',
	]) {
		const run = await rig.sh(`'${script}' ${args}`);
		expect([args, run.exitCode]).toEqual([args, 2]);
		expect(run.stderr).toContain('usage: post_impl_review.sh <context-pack> <impl-report>');
	}
	expect(rig.has('.tmp/task')).toBe(false);
	expect(rig.has('out')).toBe(false);
});

test('compose_prompt.sh and make_digest.sh print what dispatch compose and dispatch digest print', async () => {
	await using rig = await Rig.create();
	await rig.packet('t1', { routing: { intent: 'review_only' } }, { 'context_pack.md': '# Pack\n\n## Goal\nShip it.\n' });
	for (const [name, args] of [
		['compose_prompt.sh', ['compose', 't1', 'gemini_review']],
		['make_digest.sh', ['digest', 't1']],
	] as const) {
		const direct = await rig.dispatch(...args);
		const thin = await rig.sh(`'${join(projectDir, 'scripts/agent-cli', name)}' ${args.slice(1).join(' ')}`);
		await rig.sh(`ln -s '${join(projectDir, 'scripts/agent-cli', name)}' linked && ln -s linked ${name}`);
		expect(await rig.sh(`./${name} ${args.slice(1).join(' ')}; rm linked`)).toEqual(direct);
		expect(thin).toEqual(direct);
		expect(thin.exitCode).toBe(0);
		expect(thin.stdout).toContain('Ship it.');
	}
});
