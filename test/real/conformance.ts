import { describe, expect, inject, test } from 'vitest';
import type { Usage } from '../../src/contract/meta.ts';
import { type Expected, expectedOf } from './expected.ts';
import type { RealTool } from './pins.ts';
import { RealRig, type RealRun } from './real-rig.ts';

export const PROMPT = 'x'.repeat(99).concat('\n');

const writing = { task_type: 'task', workspace: 'inplace', scope: { allow: ['made.txt'] } };

/** Holds a real program to what a user is promised of every servant. */
export function conformance(tool: RealTool): void {
	const expected = expectedOf[tool];
	const { slowestStartSec: limitSec = 8 } = expected;
	const large = { context: { digest_policy: 'off' }, ...expected.largePrompts };
	const scenario = (name: string, run: (real: RealRig) => Promise<void>): void => scenarioOf(tool, name, run);
	const refusal = (name: string, stub: string, outcome: string, exitCode: number): void =>
		scenario(name, async (real) => {
			await real.packet();
			const run = await real.run(stub);
			expect(outcomeOf(run)).toEqual({ outcome, exitCode });
			expect(run.requests.length).toBeGreaterThan(0);
			expect(run.metas).toHaveLength(1);
		});

	describe(tool, () => {
		scenario('answer', async (real) => {
			await real.packet();
			const run = await real.run('text');
			expect(outcomeOf(run)).toEqual({ outcome: 'passed', exitCode: 0 });
			expect(run.answer).toBe('Hello from the stub model.');
			expect(run.metas[0]).toMatchObject({ num_steps_computed: expected.steps.answer, usage: servedIn(run, expected) });
		});

		for (const [name, stub] of [
			['tool call', 'write'],
			['edit', 'edit'],
		] as const) {
			scenario(name, async (real) => {
				await real.packet(writing);
				const run = await real.run(stub);
				expect(outcomeOf(run)).toEqual({ outcome: 'passed', exitCode: 0 });
				expect(run.answer).toBe('Done: the file is written.');
				expect(await real.rig.read('made.txt')).toBe('data\n');
				if (stub === 'edit' && expected.editTool !== null) expect(run.requests.map(({ called }) => called)).toContain(expected.editTool);
				expect(run.metas[0]).toMatchObject({ num_steps_computed: expected.steps.tool, usage: servedIn(run, expected) });
			});
		}

		scenario('step overrun', async (real) => {
			await real.packet({ budgets: { max_steps: 3 } });
			const run = await real.run('loop');
			expect(outcomeOf(run)).toEqual({ outcome: 'max_steps', exitCode: 1 });
			expect(run.metas[0]?.reason).toMatch(/^MAX_STEPS/);
			expect(run.metas[0]?.num_steps_computed).toBeGreaterThanOrEqual(3);
			expect(run.requests.length).toBeLessThan(12);
		});

		refusal('401', 'e401', 'auth', 6);
		refusal('429', 'e429', 'rate_limit', 1);
		refusal('500', 'e500', 'provider_unavailable', 1);
		refusal('quota', 'quota', 'quota', 6);
		refusal('cut stream', 'cut', expected.cut, 1);

		scenario('hang and timeout', async (real) => {
			await real.packet({ budgets: { max_wallclock_sec: limitSec } });
			const run = await real.run('hang');
			expect(outcomeOf(run)).toEqual({ outcome: 'timeout', exitCode: 1 });
			expect(run.requests.map(({ status }) => status)).toContain('hang');
		});

		scenario('hanging command', async (real) => {
			await real.packet({ ...writing, budgets: { max_wallclock_sec: limitSec } });
			const run = await real.run('sleep');
			expect(outcomeOf(run)).toEqual({ outcome: 'timeout', exitCode: 1 });
			expect(run.requests.map(({ status }) => status)).toContain(200);
		});

		scenario('megabyte prompt', async (real) => {
			await real.packet(large, { 'user_request.md': PROMPT.repeat(10_000) });
			const run = await real.run('text');
			expect(outcomeOf(run)).toEqual({ outcome: 'passed', exitCode: 0 });
			expect(longest(run)).toBeGreaterThan(1_000_000);
			expect(run.answer).toBe('Hello from the stub model.');
		});

		scenario('five megabytes', async (real) => {
			await real.packet(large, { 'user_request.md': PROMPT.repeat(50_000) });
			const run = await real.run('text');
			expect(run.metas.map(({ outcome }) => outcome)).toEqual(
				expected.fiveMegabytes === 'passed' ? ['passed'] : run.metas.map(() => 'prompt_too_large'),
			);
			if (expected.fiveMegabytes === 'passed') expect(longest(run)).toBeGreaterThan(5_000_000);
			else expect(run.requests).toEqual([]);
		});

		for (const [name, stub] of [
			['read-only write', 'write'],
			['read-only edit', 'edit'],
		] as const) {
			scenario(name, async (real) => {
				await real.packet();
				const run = await real.run(stub);
				const made = real.rig.has('made.txt');
				expect(outcomeOf(run).outcome).toBe(made ? 'scope_violation' : 'passed');
				expect(made && !expected.mayWriteWhenReading, 'written by a reader').toBe(false);
				expect(run.requests.length).toBeGreaterThan(0);
			});
		}

		for (const [limit, stub, budgets, outcome] of [
			['a step limit', 'loop', { max_steps: 3 }, 'max_steps'],
			['a timeout', 'hang', { max_wallclock_sec: limitSec }, 'timeout'],
		] as const) {
			scenario(`resume after ${limit}`, async (real) => {
				await real.packet({ budgets });
				const first = await real.run(stub);
				expect(outcomeOf(first)).toEqual({ outcome, exitCode: 1 });
				await real.packet();
				const second = await real.resume('text');
				expect(outcomeOf(second)).toEqual({ outcome: 'passed', exitCode: 0 });
				expect(second.answer).toBe('Hello from the stub model.');
				if (outcome === 'max_steps' || !expected.silentUntilAnswer) {
					expect(first.metas[0]?.session_id).toEqual(expect.any(String));
					expect(second.metas[0]?.session_id).toBe(first.metas[0]?.session_id);
				}
				const counted = (first.metas[0]?.usage.input_tokens ?? 0) + (second.metas[0]?.usage.input_tokens ?? 0);
				const served = [first, second].map((run) => servedIn(run, expected).input_tokens ?? 0);
				expect(counted, 'tokens counted twice').toBeLessThanOrEqual(served[0]! + served[1]!);
				expect(counted, 'tokens not counted').toBeGreaterThanOrEqual(served[1]!);
			});
		}
	});
}

/** One scenario in a repository of its own, in which nothing may be left running. */
export function scenarioOf(tool: RealTool, name: string, run: (real: RealRig) => Promise<void>): void {
	const reason = inject('programs')[tool] === undefined ? 'not installed' : expectedOf[tool].skip?.[name];
	test(name, async (context) => {
		if (reason !== undefined) context.skip(reason);
		await using real = await RealRig.create(tool);
		await run(real);
		expect(real.rig.living(), 'processes left behind').toEqual([]);
	});
}

export function outcomeOf({ metas, ran }: RealRun) {
	return { outcome: metas.at(-1)?.outcome ?? ran.stderr, exitCode: ran.exitCode };
}

const longest = ({ requests }: RealRun): number => Math.max(...requests.map(({ bytes }) => bytes));

/** The sum of what the model server sent whole. */
function servedIn({ requests }: RealRun, { unreported = () => false }: Expected): Usage {
	const sent = requests.filter((request) => !unreported(request)).flatMap(({ served }) => (served ? [served] : []));
	const sum = (key: keyof Usage) => sent.reduce((total, served) => total + (served[key] ?? 0), 0);
	return { input_tokens: sum('input_tokens'), cached_input_tokens: sum('cached_input_tokens'), output_tokens: sum('output_tokens') };
}
