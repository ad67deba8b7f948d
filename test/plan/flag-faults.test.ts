import { expect, test } from 'vitest';
import type { PlanFlags } from '../../src/contract/plan.ts';
import { flagFaults } from '../../src/plan/flag-faults.ts';
import { configOf } from './config-of.ts';

const config = configOf({ servants: { one: { allowed_models: ['a'] }, two: { allowed_models: ['b'] } } }, {});
const said = (flags: PlanFlags) => flagFaults(config, flags).map(({ flag, message }) => `${flag} ${message}`);

test('a servant nobody knows and a model that nobody takes are wrong whatever the packet', () => {
	expect(said({ provider: 'onne', force_task_provider: 'three' })).toEqual([
		'--force-task-provider unknown servant "three"; known: claude, codex, gemini, copilot, replay, one, two',
		'--provider unknown servant "onne"; did you mean "one"?',
	]);
	expect(said({ model: 'c' })).toEqual(['--model model "c" is not allowed for any servant']);
	expect(said({ provider: 'one', model: 'b' })).toEqual([
		'--model provider/model mismatch: model "b" is one of two, not of one; one allows a',
	]);
});

test('what some packet could use is left to the packets', () => {
	expect(said({ model: 'b' })).toEqual([]);
	expect(said({ provider: 'one', force_task_provider: 'two', model: 'b' })).toEqual([]);
	expect(said({})).toEqual([]);
});

test('a variable that names no servant is wrong too, and the flag beside it sets the exit code', () => {
	const faults = (flags: PlanFlags) => flagFaults(config, flags, { DISPATCH_PROVIDER: 'onne' }).map(({ exit, flag }) => [exit, flag]);
	expect(faults({})).toEqual([[3, 'DISPATCH_PROVIDER']]);
	expect(faults({ provider: 'three' })).toEqual([
		[2, '--provider'],
		[3, 'DISPATCH_PROVIDER'],
	]);
	expect(flagFaults(config, {}, { DISPATCH_PROVIDER: '' })).toEqual([]);
	expect(flagFaults(config, {}, { DISPATCH_PROVIDER: 'two' })).toEqual([]);
});
