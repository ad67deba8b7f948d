import { expect, test } from 'vitest';
import { renderConfig, renderExplanation, renderPlan } from '../../src/report/plan-table.ts';
import { statsRows } from '../../src/report/stats-rows.ts';
import { renderStats } from '../../src/report/stats-table.ts';
import { metaOf } from '../journal/story.ts';
import { plannedStage, planOf } from './packets.ts';

test('a plan is a table of its stages, then of the source of every value', () => {
	const plan = planOf([], {
		warnings: ['the cost of codex cannot be known'],
		stages: [
			plannedStage('gemini_review', { model: 'pro', sources: { tool: 'its name', model: 'configs/servant/gemini.yaml:9:11' } }),
			plannedStage('codex_review', {
				needs: ['gemini_review'],
				timeout_sec: 0,
				timeout_mode: 'wait_done',
				fallback: ['claude'],
				sources: { tool: '--provider' },
			}),
		],
	});
	expect(renderPlan(plan)).toMatchInlineSnapshot(`
		"t1: profile review_cross of group review, 2 stages, workspace inplace
		budgets: 10 paid calls, 2 retries per signature, 15m00s per attempt, no cost limit

		stage          tool    role    access  model  effort  timeout               steps  fallback  needs
		gemini_review  gemini  review  read    pro    -       15m00s                50     -         -
		codex_review   codex   review  read    -      -       no limit (wait_done)  50     claude    gemini_review

		stage          field  value   source
		gemini_review  tool   gemini  its name
		gemini_review  model  pro     configs/servant/gemini.yaml:9:11
		codex_review   tool   codex   --provider

		warning: the cost of codex cannot be known"
	`);
});

test('an explanation shows every level that was tried, losers included', () => {
	const level = (name: string, value: string | number | null, source: string | null, won = false) => ({ level: name, value, source, won });
	const explanation = {
		gemini_review: {
			model: [
				level('--model', null, null),
				level('purpose_models.review', 'pro', 'configs/servant/gemini.yaml:9:11', true),
				level('default_model', 'flash', 'package default'),
			],
			effort: [level('wrapper_defaults.effort', null, null)],
		},
	};
	expect(renderExplanation('gemini_review', explanation)).toMatchInlineSnapshot(`
		"gemini_review

		model = pro
		    --model                -
		  → purpose_models.review  pro    configs/servant/gemini.yaml:9:11
		    default_model          flash  package default

		effort = -
		    wrapper_defaults.effort  -"
	`);
	expect(renderExplanation('nope', explanation)).toBe('nope: nothing was resolved');
});

test('configuration is shown with its sources', () => {
	expect(
		renderConfig([
			{ key: 'provider', value: 'claude', source: 'package default' },
			{ key: 'servants.codex.fallback', value: ['claude', 'gemini'], source: 'configs/servant/codex.yaml:3:1' },
		]),
	).toBe(
		[
			'key                      value                source',
			'provider                 claude               package default',
			'servants.codex.fallback  ["claude","gemini"]  configs/servant/codex.yaml:3:1',
		].join('\n'),
	);
});

test('stats count calls, success, latency, steps, tokens and cost per servant, role and model', () => {
	const usage = { input_tokens: 1000, cached_input_tokens: 500, output_tokens: 20 };
	const codex = Array.from({ length: 20 }, (_, at) =>
		metaOf('codex_review', { duration_sec: at + 1, usage, outcome: at === 0 ? 'timeout' : 'passed', cost_usd: at === 0 ? null : 0.1 }),
	);
	const neverCalled = metaOf('codex_verify', { prompt_sha256: null, exit_code: null, outcome: 'acceptance_failed' });
	const stats = statsRows([metaOf('gemini_review', { model: 'pro', cost_usd: null }), ...codex, neverCalled]);
	expect(stats.rows[0]).toMatchObject({
		tool: 'codex',
		role: 'review',
		calls: 20,
		passed: 19,
		success_rate: 0.95,
		p50_sec: 10,
		p95_sec: 19,
	});
	expect(stats.rows[0]).toMatchObject({ steps: 80, input_tokens: 20_000, cost_unknown: 1, failures: { timeout: 1 } });
	expect(renderStats(stats)).toMatchInlineSnapshot(`
		"servant  role    model  calls  success  p50    p95    steps  tokens in  cached  tokens out  cost
		codex    review  -      20     95%      10.0s  19.0s  80     20,000     10,000  400         $1.90 (1 call unknown)
		gemini   review  pro    1      100%     12.3s  12.3s  4      -          -       -           unknown
		total                   21     95%      11.0s  19.0s  84     20,000     10,000  400         $1.90 (2 calls unknown)"
	`);
});

test('records from before steps were counted are read without complaint', () => {
	const stats = statsRows([
		{ stage: 'claude_review', tool: 'claude', exit_code: 0, start: 'x', end: 'y', duration_sec: 3, prompt_sha256: 'p' },
		{ stage: 'claude_review', tool: 'claude', exit_code: 1, outcome: 'MAX_TURNS', num_turns_reported: 50 },
		{ stage: 'claude_review', tool: 'claude', exit_code: 1, failure_reason: 'MAX_TURNS', num_turns: 7 },
		null,
		'nonsense',
		{},
	]);
	expect(stats.rows).toMatchObject([
		{ tool: 'claude', role: 'review', model: null, calls: 3, passed: 1, steps: 57, failures: { max_steps: 2 }, cost_usd: null },
	]);
	expect(renderStats(statsRows([]))).toBe('No calls yet.');
});
