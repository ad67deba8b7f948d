import { expect, test } from 'vitest';
import { answers, codexSays, copilotSays, geminiSays, Rig } from '../rig.ts';

/** An answer that passes the gate of every role, so that the stage list is all that differs. */
const everything = [
	answers.brief,
	answers.review,
	answers.static_verify,
	answers.test_impl,
	answers.runbook,
	answers.test_design,
	'PASS',
].join('\n\n');
const writes = 'case "$*" in *workspace-write*) echo changed >> src/a.txt;; esac';

const table: [intent: string, stages: string[]][] = [
	['safe_impl', ['gemini_brief', 'codex_impl', 'codex_verify', 'gemini_review']],
	['one_shot_impl', ['gemini_brief', 'copilot_runbook', 'codex_verify']],
	['design_only', ['gemini_brief', 'gemini_test_design', 'gemini_review']],
	['review_cross', ['gemini_review', 'codex_review', 'copilot_review_consolidate']],
	['post_impl_review', ['gemini_review', 'gemini_test_design', 'gemini_static_verify', 'codex_review', 'codex_test_impl', 'codex_verify']],
	['review_only', ['gemini_review']],
	['codex_only', ['codex_review', 'codex_verify']],
	['strict_review', ['gemini_review', 'codex_review', 'copilot_review_consolidate']],
	['standard', ['copilot_draft', 'codex_enrich', 'gemini_enrich', 'codex_cross_review', 'gemini_cross_review', 'copilot_consolidate']],
];

test.each(table)('intent %s runs exactly its stages and is completed', async (intent, stages) => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(everything));
	await rig.servant('codex', codexSays(everything, writes));
	await rig.servant('copilot', copilotSays(everything));
	await rig.packet('t1', { routing: { intent }, scope: { allow: ['src'] } });

	const run = await rig.dispatch('run', 't1');

	expect(run.stderr).toBe('');
	expect(run.exitCode).toBe(0);
	expect((await rig.json<{ stages: { name: string }[] }>('.tmp/task/t1/state/plan.json')).stages.map((stage) => stage.name)).toEqual(
		stages,
	);
	expect([...(await rig.stats('t1')).stages_completed].sort()).toEqual([...stages].sort());
	expect(rig.seen('calls')).toHaveLength(stages.length);
	expect(await rig.summary('t1')).toMatch(/^---\ntask_id: t1\nstatus: completed\n/);
	for (const stage of stages) expect(rig.has(`.tmp/task/t1/done/${stage}.done`)).toBe(true);
	expect(rig.living()).toEqual([]);

	const again = await rig.dispatch('run', 't1');
	expect(again.exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(stages.length);
});

test('an old manifest with all fields of the original runs unchanged', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(everything));
	await rig.servant('codex', codexSays(everything, writes));
	await rig.packet('20260218-001', {
		routing: {
			intent: 'safe_impl',
			model: { codex: 'gpt-5.3-codex', gemini: 'pro', copilot: 'auto' },
			pipeline: {
				profile: 'safe_impl',
				flags: { enable_brief: true, enable_verify: true, enable_review: true },
				options: { impl_mode: 'safe', timeout_mode: 'wait_done' },
			},
		},
		scope: { allow: ['src/'], deny: ['secrets/'] },
		acceptance: { commands: ['true'], criteria: ['it works'] },
		budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 600 },
		context: { digest_policy: 'auto' },
		security: { redaction_patterns: ['internal-[0-9]+'], forbidden_paths: ['.env'] },
	});
	const run = await rig.dispatch('run', '20260218-001');
	expect(run.stderr).toBe('');
	expect(run.exitCode).toBe(0);
	expect(await rig.read('.tmp/task/20260218-001/inputs/context_pack.md')).toContain('0. Goal');
	expect(await rig.read('.tmp/task/20260218-001/outputs/codex_impl.patch')).toContain('+changed');
});
