import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, describe as group, test } from 'vitest';
import type { z } from 'zod';
import { describe } from '../../scripts/bundle/describe-schemas.mjs';
import { atFirstUse, fits, isKnown } from '../../scripts/bundle/fits.mjs';
import { readYaml } from '../../src/config/read-yaml.ts';
import { DispatchFile } from '../../src/contract/dispatch-file.ts';
import { DispatchEvent } from '../../src/contract/event.ts';
import { Manifest } from '../../src/contract/manifest.ts';
import { Meta } from '../../src/contract/meta.ts';
import { PipelineFile } from '../../src/contract/pipeline-file.ts';
import { RoleContract } from '../../src/contract/role.ts';
import { ServantFile } from '../../src/contract/servant-file.ts';
import { DoneMarker, LockFile } from '../../src/contract/state-files.ts';
import { TreeSnapshot } from '../../src/contract/tree-snapshot.ts';
import { TaskId, TaskType } from '../../src/contract/words.ts';
import { projectDir } from '../project-dir.ts';

const shipped = (kind: string): unknown[] =>
	readdirSync(join(projectDir, 'configs', kind)).map((name) => plain(join(projectDir, 'configs', kind, name)));
const plain = (file: string): unknown => JSON.parse(JSON.stringify(readYaml(readFileSync(file), file).value));

const meta = {
	...{
		schema: 1,
		stage: 's',
		tool: 't',
		exit_code: 0,
		start: 'x',
		end: 'y',
		duration_sec: 1.5,
		prompt_sha256: null,
		attempt: 1,
		role: 'impl',
	},
	...{ model: null, effort: 'high', signal: null, outcome: 'passed', signature: null, reason: null, num_steps_reported: 3 },
	...{ num_steps_computed: null, num_turns_reported: 0, usage: { input_tokens: 1, cached_input_tokens: null, output_tokens: 2 } },
	...{ cost_usd: 0.25, cost_source: 'reported', session_id: null, out_sha256: 'a', out_bytes: 3, prompt_bytes: 4, adopted: false },
	...{ verdict: null, fallback_from: null },
};
const about = { time: '2026-01-01T00:00:00.000Z', task_id: 'p' };
const ofStage = { ...about, stage: 's', attempt: 1, provider: 't' };

/** Each schema with values that are right. */
const samples: [string, z.ZodType, unknown[]][] = [
	['ServantFile', ServantFile, [...shipped('servant'), { stream: { text: { path: 'a', when: { b: 1, c: 'd', e: true } } } }]],
	['PipelineFile', PipelineFile, shipped('pipeline')],
	[
		'DispatchFile',
		DispatchFile,
		[plain(join(projectDir, 'configs/dispatch.yaml')), { providers: { codex: { model: 'x', max_steps: 3 } } }],
	],
	[
		'Manifest',
		Manifest,
		[
			{ task_id: 'a', goal: 'g', task_type: 'plan', depends_on: ['b', 'c'], budgets: { max_cost_usd: 0.5, max_steps: 3 } },
			{
				task_id: 'a',
				goal: 'g',
				routing: { intent: 'x', stages: { s: { model: 'm', timeout_sec: 3 } }, model: { codex: 'x' } },
				depends_on: 'b',
			},
		],
	],
	['Meta', Meta, [meta]],
	[
		'DispatchEvent',
		DispatchEvent,
		[
			{ ...ofStage, type: 'stage_started', pid: 3, start_time: '4', adopted: false },
			{ ...ofStage, type: 'stage_collected', call: 'used', adopted: true },
			{ ...about, type: 'run_finished', status: 'completed', exit_code: 0, next_action: 'done: x' },
			{
				...{ ...ofStage, type: 'stage_finished', status: 'passed', decision: null, class: null, signature: null, reason: null, meta },
				...{ verdict: null, findings: null, inputs_sha256: 'x', handoff: null, next_action: null, run_again: [] },
			},
		],
	],
	[
		'LockFile',
		LockFile,
		[{ schema: 1, pid: 1, start_time: '2', boot_id: 'b', pid_namespace: 'n', host: 'h', token: 'ab', since: 's', command: 'c' }],
	],
	[
		'DoneMarker',
		DoneMarker,
		[{ schema: 1, stage: 's', tool: 't', attempt: 1, finished_at: 'x', prompt_sha256: null, inputs_sha256: 'a', out_sha256: 'b' }],
	],
	[
		'TreeSnapshot',
		TreeSnapshot,
		[
			{
				...{ schema: 1, head: 'a', branch: null, tree: null, ignored: [], inside: [] },
				entries: [{ path: 'a', content: 'file:x', target: null, xy: '??', staged: null }],
				guarded: [{ path: 'b', content: 'c', target: 'd' }],
			},
		],
	],
	['TaskId', TaskId, ['a', 'A-1_b.c']],
];

const odd = fc.oneof(
	fc.constantFrom<unknown>(
		null,
		'',
		'x',
		'.x',
		'a/b',
		0,
		-1,
		1.5,
		2 ** 60,
		true,
		[],
		{},
		[1],
		['a'],
		{ a: 1 },
		'plan',
		'high',
		'a'.repeat(201),
	),
	fc.jsonValue(),
);

/** The value with something in it replaced, left out or added. */
function spoilt(value: unknown, choices: readonly number[], other: unknown): unknown {
	const [choice = 0, ...rest] = choices;
	if (typeof value !== 'object' || value === null || rest.length === 0) return other;
	const copy = structuredClone(value) as Record<string, unknown>;
	const keys = Object.keys(copy);
	const key = keys[choice % (keys.length + 1)];
	if (key === undefined) copy[`more${choice % 3}`] = other;
	else if (choice % 5 === 0) delete copy[key];
	else copy[key] = spoilt(copy[key], rest, other);
	return Array.isArray(value) ? Object.values(copy).filter((item) => item !== undefined) : copy;
}

group('a description says yes only where zod does, and reads the same', () => {
	test.each(samples)('%s', (_, schema, values) => {
		const description = describe(schema);
		expect(description).not.toBeNull();
		for (const value of values) expect({ value, fits: fits(description, value) }).toEqual({ value, fits: true });
		const choices = fc.array(fc.nat(60), { minLength: 1, maxLength: 5 });
		fc.assert(
			fc.property(fc.constantFrom(...values), choices, odd, (value, path, other) => {
				const given = spoilt(value, path, other);
				const parsed = schema.safeParse(given);
				if (fits(description, given)) expect(parsed).toEqual({ success: true, data: given });
			}),
			{ numRuns: 1500 },
		);
	});
});

test('what does more than describe has no description', () => {
	expect(describe(RoleContract)).toBeNull();
	expect(isKnown({ type: 'string', format: 'date-time' })).toBe(false);
});

test('a schema at its first use is made for what is wrong, and not for what is right', () => {
	let made = 0;
	const lazy = atFirstUse(
		() => {
			made += 1;
			return TaskType;
		},
		() => describe(TaskType),
	);
	expect(lazy.safeParse('plan')).toEqual({ success: true, data: 'plan' });
	expect(lazy.options).toEqual(TaskType.options);
	expect(made).toBe(0);
	expect(lazy.safeParse('plans').success).toBe(false);
	expect(lazy.safeParse('x').error?.issues).toHaveLength(1);
	expect(made).toBe(1);
});
