import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/contract/plan.ts';
import { answers, Rig, say } from '../rig.ts';

/** The rows of the scenario tables and test plans the routing grew from, each at the binary. */

const fake = (name: string) => ({
	command: `${name}-cli`,
	args: ['--model', '{model}', '--steps', '{max_steps}'],
	prompt: 'stdin',
	output: 'text',
	write_args: ['--write'],
});

/** alpha and beta are plain text servants that log who was called with what; `claude` and `codex` become such servants too. */
async function rigWith(dispatch: string, env: { tools?: string[] } = {}): Promise<Rig> {
	const rig = await Rig.create();
	for (const tool of env.tools ?? ['alpha', 'beta']) {
		await rig.textServant(
			tool,
			`cat > /dev/null\necho "${tool} $*" >> "$SEEN/calls"\ncase "$*" in *--write*) echo more >> src/a.txt;; esac\n${say(`${answers.review}\nPASS`)}`,
			fake(tool),
		);
	}
	if (dispatch !== '') await rig.write('configs/dispatch.yaml', dispatch);
	return rig;
}

const plan = async (rig: Rig, id: string, ...flags: string[]): Promise<Plan> => {
	const ran = await rig.dispatch('plan', id, '--json', ...flags);
	expect(ran.stderr).toBe('');
	return JSON.parse(ran.stdout) as Plan;
};
const tools = async (rig: Rig, id: string, ...flags: string[]) => (await plan(rig, id, ...flags)).stages.map((stage) => stage.tool);

describe('scenarios of provider integration', () => {
	test('Default provider: no config, no flags: Claude is used for all units', async () => {
		await using rig = await rigWith('');
		await rig.packet('t1', { task_type: 'explore' });
		const { stages } = await plan(rig, 't1');
		expect(stages.map((stage) => [stage.name, stage.tool, stage.sources.tool])).toEqual([['claude_explore', 'claude', 'package default']]);
	});
	test('CLI flag override: --provider is used for units without a provider of their own', async () => {
		await using rig = await rigWith('');
		await rig.packet('t1', { task_type: 'explore' });
		await rig.packet('t2', { task_type: 'explore', provider: 'alpha' });
		expect(await tools(rig, 't1', '--provider', 'beta')).toEqual(['beta']);
		expect(await tools(rig, 't2', '--provider', 'beta')).toEqual(['alpha']);
	});
	test('Force flag override: --force-task-provider is used for all units, ignoring what they say', async () => {
		await using rig = await rigWith('');
		await rig.packet('t1', { task_type: 'explore', provider: 'alpha' });
		await rig.packet('t2', { routing: { intent: 'review_cross' } });
		expect(await tools(rig, 't1', '--force-task-provider', 'beta')).toEqual(['beta']);
		expect((await plan(rig, 't2', '--force-task-provider', 'beta')).stages.map((stage) => stage.name)).toEqual([
			'beta_review',
			'beta_review-2',
			'beta_review_consolidate',
		]);
	});
	test('Per-unit: that unit uses its own, others the default', async () => {
		await using rig = await rigWith('provider: alpha\n');
		await rig.packet('t1', { task_type: 'explore', provider: 'beta' });
		await rig.packet('t2', { task_type: 'explore' });
		expect(await tools(rig, 't1')).toEqual(['beta']);
		expect(await tools(rig, 't2')).toEqual(['alpha']);
	});
	test('Mixed providers: each unit uses its resolved provider', async () => {
		await using rig = await rigWith('task_providers:\n  implement: alpha\n  review: beta\n');
		await rig.packet('t1', { task_type: 'implement', scope: { allow: ['**'] } });
		await rig.packet('t2', { task_type: 'review' });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
		expect((await rig.dispatch('run', 't2')).exitCode).toBe(0);
		expect(rig.seen('calls').map((line) => line.split(' ')[0])).toEqual(['alpha', 'alpha', 'beta']);
		expect((await rig.events('t2')).find((event) => event.type === 'stage_started')).toMatchObject({ provider: 'beta' });
	});
	test('Invalid provider: an error at startup, not per unit', async () => {
		await using rig = await rigWith('');
		await rig.packet('t1', { task_type: 'explore' });
		const flag = await rig.dispatch('run', 't1', '--provider', 'alpah');
		expect(flag.exitCode).toBe(2);
		expect(flag.stderr).toContain('did you mean "alpha"?');
		expect(rig.has('.tmp/task/t1/state')).toBe(false);
		const variable = await rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'nobody' } }).ended;
		expect(variable.exitCode).toBe(3);
		expect(variable.stderr).toContain('DISPATCH_PROVIDER');
	});
});

describe('test plan of task routing', () => {
	test('parses valid task_providers', async () => {
		await using rig = await rigWith('task_providers:\n  review: beta\n');
		await rig.packet('t1', { task_type: 'review' });
		expect((await plan(rig, 't1')).stages[0]).toMatchObject({ tool: 'beta', sources: { tool: 'configs/dispatch.yaml:2:11' } });
	});
	test('rejects invalid task types', async () => {
		await using rig = await rigWith('task_providers:\n  reviw: beta\n');
		await rig.packet('t1', { task_type: 'review' });
		const ran = await rig.dispatch('plan', 't1');
		expect(ran.exitCode).toBe(3);
		expect(ran.stderr).toContain('configs/dispatch.yaml:2:3  error');
		expect(ran.stderr).toContain('did you mean "review"?');
	});
	test('rejects unknown providers', async () => {
		await using rig = await rigWith('task_providers:\n  review: betta\n');
		await rig.packet('t1', { task_type: 'review' });
		const ran = await rig.dispatch('plan', 't1');
		expect(ran.exitCode).toBe(3);
		expect(ran.stderr).toContain('configs/dispatch.yaml:2:11  error');
		expect(ran.stderr).toContain('did you mean "beta"?');
	});
	test('task_providers must be a map', async () => {
		await using rig = await rigWith('task_providers: beta\n');
		const ran = await rig.dispatch('validate');
		expect(ran.exitCode).toBe(3);
		expect(ran.stderr + ran.stdout).toContain('configs/dispatch.yaml:1:17  error');
	});
	test('handles missing task_providers as no-op', async () => {
		await using rig = await rigWith('provider: alpha\n');
		await rig.packet('t1', { task_type: 'review' });
		expect(await tools(rig, 't1')).toEqual(['alpha']);
	});
	test('the packet overrides task_providers, task_providers override the global provider', async () => {
		await using rig = await rigWith('provider: alpha\ntask_providers:\n  review: beta\n');
		await rig.packet('t1', { task_type: 'review', provider: 'alpha' });
		await rig.packet('t2', { task_type: 'review' });
		await rig.packet('t3', { task_type: 'explore' });
		expect([await tools(rig, 't1'), await tools(rig, 't2'), await tools(rig, 't3')]).toEqual([['alpha'], ['beta'], ['alpha']]);
	});
	test('DISPATCH_PROVIDER replaces the global provider, and nothing stronger', async () => {
		await using rig = await rigWith('provider: alpha\ntask_providers:\n  review: alpha\n');
		await rig.packet('t1', { task_type: 'explore' });
		await rig.packet('t2', { task_type: 'review' });
		const at = async (id: string) =>
			(JSON.parse((await rig.start(['plan', id, '--json'], { env: { DISPATCH_PROVIDER: 'beta' } }).ended).stdout) as Plan).stages[0];
		expect(await at('t1')).toMatchObject({ tool: 'beta', sources: { tool: 'DISPATCH_PROVIDER' } });
		expect(await at('t2')).toMatchObject({ tool: 'alpha' });
	});
	test('model and max steps use the effective provider', async () => {
		await using rig = await rigWith(
			'task_providers:\n  review: beta\nproviders:\n  alpha:\n    task_types:\n      review: { model: a-model, max_steps: 7 }\n  beta:\n    model: b-default\n    task_types:\n      review: { model: b-model, max_steps: 9 }\n',
		);
		await rig.packet('t1', { task_type: 'review' });
		expect((await plan(rig, 't1')).stages[0]).toMatchObject({ tool: 'beta', model: 'b-model', max_steps: 9 });
	});
	test('a created review runs with task_providers.review, by itself and by command', async () => {
		await using rig = await rigWith('task_providers:\n  implement: alpha\n  review: beta\n');
		await rig.packet('t1', { task_type: 'implement', scope: { allow: ['**'] }, create_review: true });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
		expect(rig.seen('calls').map((line) => line.split(' ')[0])).toEqual(['alpha', 'alpha', 'beta']);
		expect((await rig.dispatch('review', 't1')).exitCode).toBe(0);
		expect(rig.seen('calls').at(-1)).toMatch(/^beta /);
		expect(rig.has('.tmp/task/t1-review-2/done/beta_review.done')).toBe(true);
	});
	test('retry keeps what the packet was given', async () => {
		await using rig = await rigWith('provider: alpha\n');
		await rig.servant('beta-cli', 'cat > /dev/null; echo "beta $*" >> "$SEEN/calls"; exit 3');
		await rig.packet('t1', { task_type: 'explore' });
		expect((await rig.dispatch('run', 't1', '--provider', 'beta', '--model', 'special')).exitCode).toBe(1);
		expect((await rig.dispatch('retry', 't1')).exitCode).toBe(1);
		expect(rig.seen('calls')).toEqual(['beta --model special --steps 50', 'beta --model special --steps 50']);
	});
	test('a configuration change between runs is reported, and applies only to stages not yet done', async () => {
		await using rig = await rigWith('');
		await rig.write('configs/pipeline/two.yaml', 'profiles:\n  two:\n    stages: [alpha_explore, beta_plan]\n');
		await rig.servant('beta-cli', 'cat > /dev/null; exit 3');
		await rig.packet('t1', { routing: { intent: 'two' } });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
		await rig.write('configs/dispatch.yaml', 'providers:\n  alpha: { model: new-a }\n  beta: { model: new-b }\n');
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
		const stages = (await rig.json<Plan>('.tmp/task/t1/state/plan.json')).stages;
		expect(stages.map((stage) => stage.model)).toEqual([null, 'new-b']);
		expect(await rig.summary('t1')).toContain('beta_plan: model');
	});
});

describe('test plan of max steps', () => {
	const review = { task_type: 'review', provider: 'alpha' };
	test('max_steps is parsed and wins over max_turns', async () => {
		await using rig = await rigWith('max_steps: 30\nmax_turns: 20\n');
		await rig.packet('t1', review);
		const ran = await rig.dispatch('plan', 't1', '--json');
		expect((JSON.parse(ran.stdout) as Plan).stages[0]).toMatchObject({
			max_steps: 30,
			sources: { max_steps: 'configs/dispatch.yaml:1:12' },
		});
		expect((await rig.dispatch('validate')).stdout + (await rig.dispatch('validate')).stderr).toMatch(
			/configs\/dispatch\.yaml:2:\d+ {2}warning .*max_steps/,
		);
	});
	test('the task type wins over the global budget', async () => {
		await using rig = await rigWith('max_steps: 30\ntask_types:\n  review: { max_steps: 12 }\n');
		await rig.packet('t1', review);
		expect((await plan(rig, 't1')).stages[0]).toMatchObject({ max_steps: 12 });
	});
	test('max_turns alone works and is deprecated once, naming file and line', async () => {
		await using rig = await rigWith('max_turns: 20\n');
		await rig.packet('t1', review);
		const ran = await rig.dispatch('run', 't1');
		expect(ran.exitCode).toBe(0);
		const said = (ran.stdout + ran.stderr).split('\n').filter((line) => line.includes('max_turns is deprecated; use max_steps'));
		expect(said).toHaveLength(1);
		expect(said[0]).toContain('configs/dispatch.yaml:1:');
		expect(rig.seen('calls')).toEqual(['alpha --steps 20']);
	});
	test('the default is 50', async () => {
		await using rig = await rigWith('');
		await rig.packet('t1', review);
		expect((await plan(rig, 't1')).stages[0]).toMatchObject({ max_steps: 50, sources: { max_steps: 'package default' } });
	});
});
