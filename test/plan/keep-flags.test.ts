import { describe, expect, test } from 'vitest';
import type { PlanFlags } from '../../src/contract/plan.ts';
import { keepFlags } from '../../src/plan/keep-flags.ts';
import { configOf, failuresOf, stageOf } from './config-of.ts';

const keep = (earlier: PlanFlags, typed: PlanFlags) => {
	const { flags, kept, warnings } = keepFlags(configOf(), earlier, typed);
	return { flags, kept: [...kept], warnings };
};

describe('flags of an earlier run', () => {
	test('are kept where nothing else is said now', () => {
		expect(keep({ provider: 'codex', model: 'gpt-5-codex' }, {})).toEqual({
			flags: { provider: 'codex', model: 'gpt-5-codex' },
			kept: ['provider', 'model'],
			warnings: [],
		});
		expect(keep({ model: 'opus' }, { model: 'sonnet' })).toEqual({ flags: { model: 'sonnet' }, kept: [], warnings: [] });
	});

	test('are dropped by an empty one', () => {
		expect(keep({ provider: 'claude', model: 'opus' }, { model: '' })).toEqual({
			flags: { provider: 'claude' },
			kept: ['provider'],
			warnings: [],
		});
	});

	test('a model goes when the servant that is named now does not allow it', () => {
		const warning = '--model opus, kept from an earlier run, is dropped: not allowed for codex';
		expect(keep({ model: 'opus' }, { provider: 'codex' })).toEqual({ flags: { provider: 'codex' }, kept: [], warnings: [warning] });
		expect(keep({ model: 'opus' }, { force_task_provider: 'codex' }).warnings).toEqual([warning]);
		expect(keep({ model: 'opus' }, { provider: 'claude' })).toMatchObject({ flags: { provider: 'claude', model: 'opus' }, warnings: [] });
	});

	test("nor does one follow to a servant without a list if it is another's", () => {
		expect(keep({ model: 'opus' }, { provider: 'replay' }).warnings).toEqual([
			'--model opus, kept from an earlier run, is dropped: one of claude, not of replay',
		]);
		expect(keep({ model: 'anything' }, { provider: 'replay' }).flags.model).toBe('anything');
	});

	test('a force goes when a provider is named now', () => {
		expect(keep({ force_task_provider: 'codex' }, { provider: 'claude' })).toEqual({
			flags: { provider: 'claude' },
			kept: [],
			warnings: ['--force-task-provider codex, kept from an earlier run, is dropped for --provider claude; give both to have both'],
		});
		expect(keep({ provider: 'claude' }, { force_task_provider: 'codex' }).flags).toEqual({
			provider: 'claude',
			force_task_provider: 'codex',
		});
	});
});

test('a kept flag says in plan and complaints that it is one, and how to drop it', () => {
	const keptFlags = new Set(['model', 'provider'] as const);
	const manifest = { task_type: 'review' } as const;
	const { sources } = stageOf({ manifest, flags: { provider: 'claude', model: 'opus' }, keptFlags });
	expect(sources).toMatchObject({
		tool: '--provider (kept from an earlier run; --provider "" drops it)',
		model: '--model (kept from an earlier run; --model "" drops it)',
	});
	expect(failuresOf({ manifest, flags: { provider: 'codex', model: 'x' }, keptFlags })).toEqual([
		{
			exit: 2,
			at: null,
			source: '--model',
			message:
				'model "x" is not allowed for codex; codex allows gpt-5.3-codex, gpt-5.2-codex, gpt-5-codex; --provider codex is kept from an earlier run, --provider "" drops it; --model x is kept from an earlier run, --model "" drops it',
		},
	]);
	expect(failuresOf({ manifest, flags: { provider: 'gone' }, keptFlags })[0]?.message).toBe(
		'unknown servant "gone"; known: claude, codex, gemini, copilot, replay; --provider gone is kept from an earlier run, --provider "" drops it',
	);
});
