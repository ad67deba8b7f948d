import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/contract/plan.ts';
import { answers, codexSays, copilotSays, geminiSays, Rig, say } from '../rig.ts';

/** A servant that logs what it was called for, writes where it may, and fails from the second call on until `$SEEN/ok` is there. */
const worker = (tool: string) =>
	`cat > /dev/null
echo "${tool} $1" >> "$SEEN/calls"
case "$1" in write) echo more >> src/a.txt;; esac
if [ "$(grep -c . "$SEEN/calls")" -gt 1 ] && [ ! -e "$SEEN/ok" ]; then echo "unexpected end" >&2; exit 1; fi
${say(`${answers.review}\n\nPASS`)}`;

async function rigWith(...tools: string[]): Promise<Rig> {
	const rig = await Rig.create();
	for (const tool of tools) await rig.textServant(tool, worker(tool), { read_only_args: ['read'], write_args: ['write'] });
	await rig.write('configs/pipeline/task.yaml', 'profiles:\n  explore: { stages: [explore, plan] }\n');
	return rig;
}

const done = (rig: Rig, id: string) => readdirSync(join(rig.root, `.tmp/task/${id}/done`)).sort();
const names = async (rig: Rig, id: string, ...flags: string[]) => {
	const plan = JSON.parse((await rig.dispatch('plan', id, '--json', ...flags)).stdout) as Plan;
	return plan.stages.map(({ name, tool, needs }) => [name, tool, ...needs].join(' '));
};

describe('a finished stage is not paid again', () => {
	test('when configuration routes it to another tool', async () => {
		await using rig = await rigWith('aa', 'bb');
		await rig.write('configs/dispatch.yaml', 'provider: aa\n');
		await rig.packet('t1', { task_type: 'explore', budgets: { retry_budget: 0 } });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read']);

		await rig.write('configs/dispatch.yaml', 'provider: bb\n');
		await rig.let('ok');
		const planned = ['aa_explore aa', 'bb_plan bb aa_explore'];
		expect(await names(rig, 't1')).toEqual(planned);
		expect((await rig.dispatch('plan', 't1', '--explain', 'aa_explore')).exitCode).toBe(0);
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read', 'bb read']);
		expect(done(rig, 't1')).toEqual(['aa_explore.done', 'bb_plan.done']);
		expect(await names(rig, 't1')).toEqual(planned);
		expect((await rig.json<Plan>('.tmp/task/t1/state/plan.json')).stages.map(({ name }) => name)).toEqual(['aa_explore', 'bb_plan']);
		expect(await rig.summary('t1')).toContain('changed since the last run: aa_plan: tool aa → bb (configs/dispatch.yaml:1:11)');
	});

	test('when a retry finds another DISPATCH_PROVIDER', async () => {
		await using rig = await rigWith('aa', 'bb');
		await rig.packet('t1', { task_type: 'explore', budgets: { retry_budget: 0 } });
		await rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'aa' } }).ended;
		await rig.let('ok');
		expect((await rig.start(['retry', 't1'], { env: { DISPATCH_PROVIDER: 'bb' } }).ended).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read', 'bb read']);
	});

	test('when the journal is lost besides', async () => {
		await using rig = await rigWith('aa', 'bb');
		await rig.packet('t1', { task_type: 'explore', budgets: { retry_budget: 0 } });
		await rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'aa' } }).ended;
		await rig.let('ok');
		await rig.sh('rm .tmp/task/t1/state/events.jsonl');
		expect((await rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'bb' } }).ended).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read', 'bb read']);
	});

	test('when it is a writer and --provider names another tool', async () => {
		await using rig = await rigWith('wr', 'vf');
		await rig.packet('t1', { task_type: 'implement', scope: { allow: ['src/**'] }, budgets: { retry_budget: 0 } });
		expect((await rig.dispatch('run', 't1', '--provider', 'wr')).exitCode).toBe(1);
		await rig.let('ok');
		expect((await rig.dispatch('run', 't1', '--provider', 'vf')).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['wr write', 'wr read', 'vf read']);
		expect(done(rig, 't1')).toEqual(['vf_verify.done', 'wr_impl.done']);
	});

	test('when the rest is forced to another tool', async () => {
		await using rig = await rigWith('cat');
		await rig.let('ok');
		await rig.servant('gemini', geminiSays(answers.review!));
		await rig.servant('codex', codexSays(answers.review!));
		await rig.servant('copilot', copilotSays('no sections'));
		await rig.packet('t1', { routing: { intent: 'review_cross' }, budgets: { retry_budget: 0 } });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
		const forced = ['--force-task-provider', 'cat'];
		const planned = ['gemini_review gemini', 'codex_review codex', 'cat_review_consolidate cat gemini_review codex_review'];
		expect(await names(rig, 't1', ...forced)).toEqual(planned);
		expect((await rig.dispatch('run', 't1', ...forced)).exitCode).toBe(0);
		expect(rig.seen('calls').filter((line) => line.startsWith('cat'))).toEqual(['cat read']);
		expect(await names(rig, 't1')).toEqual(planned);
		expect((await rig.dispatch('run', 't1')).stdout).toContain('t1 is completed already');
	});
});

describe('a finished stage that is run again on purpose is resolved anew', () => {
	const twoDone = async () => {
		const rig = await rigWith('aa', 'bb');
		await rig.let('ok');
		await rig.write('configs/dispatch.yaml', 'provider: aa\n');
		await rig.packet('t1', { task_type: 'explore' });
		expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
		await rig.write('configs/dispatch.yaml', 'provider: bb\n');
		return rig;
	};

	test('with --fresh', async () => {
		await using rig = await twoDone();
		expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read', 'bb read', 'bb read']);
		expect(done(rig, 't1')).toEqual(['bb_explore.done', 'bb_plan.done']);
		expect((await rig.stats('t1')).stages_completed).toEqual(['bb_explore', 'bb_plan']);
	});

	test('with --from, by the name it ran under; what comes before it is kept', async () => {
		await using rig = await twoDone();
		expect((await rig.dispatch('run', 't1', '--from', 'aa_plan')).exitCode).toBe(0);
		expect(rig.seen('calls')).toEqual(['aa read', 'aa read', 'bb read']);
		expect(done(rig, 't1')).toEqual(['aa_explore.done', 'bb_plan.done']);
		expect((await rig.dispatch('run', 't1', '--from', 'explore')).exitCode).toBe(0);
		expect(done(rig, 't1')).toEqual(['bb_explore.done', 'bb_plan.done']);
		expect(rig.seen('calls')).toHaveLength(5);
	});

	test('with --fresh its model is resolved anew too', async () => {
		await using rig = await twoDone();
		await rig.write('configs/dispatch.yaml', 'provider: aa\nproviders:\n  aa: { model: newer }\n');
		expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(0);
		expect((await rig.meta('t1', 'aa_explore', 'aa')).model).toBe('newer');
	});
});

test('an attempt that a dead run left is collected though its stage is routed elsewhere by now', async () => {
	await using rig = await Rig.create();
	await rig.textServant('aa', `echo aa >> "$SEEN/calls"; while [ ! -e "$SEEN/go" ]; do sleep 0.05; done; ${say(answers.explore!)}`);
	await rig.textServant('bb', `echo bb >> "$SEEN/calls"; ${say(answers.explore!)}`);
	await rig.packet('t1', { task_type: 'explore' });
	const dead = rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'aa' } });
	await rig.until('the servant runs', () => rig.seen('calls').length === 1);
	dead.child.kill('SIGKILL');
	await dead.ended;
	await rig.let('go');
	expect((await rig.start(['run', 't1'], { env: { DISPATCH_PROVIDER: 'bb' } }).ended).exitCode).toBe(0);
	expect(rig.seen('calls')).toEqual(['aa']);
	expect(done(rig, 't1')).toEqual(['aa_explore.done']);
});
