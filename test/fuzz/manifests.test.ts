import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import { checkShape } from '../../src/config/check-shape.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { parseManifest } from '../../src/config/load-manifest.ts';
import { readYaml } from '../../src/config/read-yaml.ts';
import type { Complaint } from '../../src/contract/complaint.ts';
import { DispatchFile } from '../../src/contract/dispatch-file.ts';
import { PipelineFile } from '../../src/contract/pipeline-file.ts';
import { Plan } from '../../src/contract/plan.ts';
import { ServantFile } from '../../src/contract/servant-file.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import { loadRoles } from '../../src/prompt/templates.ts';
import { renderComplaints } from '../../src/report/complaints.ts';
import { projectDir } from '../project-dir.ts';
import { expectTame } from '../safety/surroundings.ts';
import { garbled, mutated } from './mutations.ts';
import { fuzz } from './seed.ts';

const dir = mkdtempSync(join(tmpdir(), 'dispatch-fuzz-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const shipped = loadConfig({ root: dir, packageDir: projectDir, userDir: null });
const roles = loadRoles([join(projectDir, 'templates')]);
if (!shipped.ok || !roles.ok) throw new Error('the package itself does not load');

const whole = {
	task_id: 'p',
	goal: 'Make it so',
	task_type: 'implement',
	routing: {
		intent: 'safe_impl',
		model: { codex: 'gpt-5.5' },
		pipeline: { profile: 'safe_impl', flags: { enable_brief: true }, options: { impl_mode: 'safe', fix_rounds: 2 } },
		stages: { codex_impl: { provider: 'codex', model: 'gpt-5.5', effort: 'high', max_steps: 9, timeout_sec: 60 } },
	},
	provider: 'codex',
	model: 'gpt-5.5',
	scope: { allow: ['src/**', 'test/*.ts'], deny: ['**/.env', 'secret/'] },
	acceptance: { commands: ['npm test', 'npm run lint'], criteria: ['it works'] },
	budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 900, max_steps: 50, max_cost_usd: 3.5 },
	context: { digest_policy: 'auto' },
	security: { redaction_patterns: ['sk-[a-z]+', '\\d{16}'], forbidden_paths: ['.env', 'secrets/**'] },
	group: 'auth',
	depends_on: ['a', 'b'],
	based_on: 'a',
	create_review: true,
	same_branch: true,
	created_at: '2026-01-31T09:30:00Z',
	workspace: 'worktree',
};
const manifests = [
	whole,
	{ task_id: 'p', goal: 'g', routing: { intent: 'review_cross' } },
	{ task_id: 'p', goal: 'g', task_type: 'explore', provider: 'claude' },
	{ task_id: 'p', goal: 'g', routing: { intent: 'post_impl_review', stages: { codex_review: { provider: 'gemini' } } } },
	{ task_id: 'p', goal: 'g', routing: { intent: 'standard', pipeline: { flags: { enable_codex_enrich: false } } } },
];

const asText = (value: unknown): string => {
	try {
		return stringify(value);
	} catch {
		return JSON.stringify(value) ?? '';
	}
};

function expectHelpful(complaints: readonly Complaint[]): void {
	expect(complaints.length).toBeGreaterThan(0);
	expectTame('a complaint', renderComplaints(complaints));
}

const words = fc.oneof(
	{ weight: 12, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: fc.constantFrom('codex', 'gemini', 'nobody', '', '__proto__', 'gpt-5.5', '../x') },
);

test('10,000 mutated manifests are loaded and planned or refused in plain words', () => {
	const inputs = fc.record({
		value: mutated(manifests, 3),
		garble: garbled(),
		provider: words,
		force: words,
		model: words,
		env: words,
	});
	const tally = fuzz('manifests', 10_000, inputs, ({ value, garble, provider, force, model, env }) => {
		const text = garble(Buffer.from(asText(value)));
		const loaded = parseManifest(text, 'manifest.yaml', 'p');
		if (!loaded.ok) {
			expectHelpful(loaded.failures);
			return 'refused by shape';
		}
		const flags = { ...(provider ? { provider } : {}), ...(force ? { force_task_provider: force } : {}), ...(model ? { model } : {}) };
		const built = buildPlan({
			manifest: loaded.value.manifest,
			manifestSource: (path) => loaded.value.source(path),
			config: shipped.value,
			roles: roles.value.roles,
			flags,
			env: { DISPATCH_PROVIDER: env, DISPATCH_MODEL: env },
		});
		if (!built.ok) {
			for (const failure of built.failures) expect([2, 3]).toContain(failure.exit);
			return 'refused by the plan';
		}
		expect(Plan.safeParse(built.value.plan).error).toBeUndefined();
		expect(new Set(built.value.plan.stages.map((stage) => stage.name)).size).toBe(built.value.plan.stages.length);
		return 'planned';
	});
	expect(tally.seen.planned).toBeGreaterThan(1000);
	expect(tally.seen['refused by shape']).toBeGreaterThan(200);
	expect(tally.seen['refused by the plan']).toBeGreaterThan(50);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}, 180_000);

const filesBelow = (path: string): [string, unknown][] =>
	readdirSync(join(projectDir, path))
		.filter((name) => name.endsWith('.yaml'))
		.map((name) => [`${path}/${name}`, parse(readFileSync(join(projectDir, path, name), 'utf8'))]);

const configFiles: [string, unknown][] = [
	...filesBelow('configs/servant'),
	...filesBelow('configs/pipeline'),
	...filesBelow('test/fixtures/old-config/configs/servant'),
	...filesBelow('test/fixtures/old-config/configs/pipeline'),
	[
		'configs/dispatch.yaml',
		{
			provider: 'codex',
			task_providers: { review: 'gemini' },
			providers: { codex: { model: 'gpt-5.5', max_steps: 4, task_types: { review: { model: 'o3', max_turns: 3 } } } },
			max_steps: 20,
			concurrency: 2,
			progress_interval_sec: 5,
			max_wait_sec: 60,
			verify: { allow_commands: ['npm test.*'], timeout_sec: 60, max_output_kb: 10 },
			worktree_setup: ['npm ci'],
			defaults: { model: 'x', max_steps: 3, max_turns: 3 },
			task_types: { review: { model: 'y', max_turns: 3 } },
		},
	],
	[
		'configs/servant/mine.yaml',
		{
			command: 'mine',
			args: ['--model', '{model}', '{prompt_file}'],
			prompt: 'stdin',
			output: 'jsonl',
			paths: { text: 'a.b' },
			env: ['KEY'],
			fallback: ['codex'],
		},
	],
];
const schemaOf = (file: string): z.ZodType<unknown> =>
	file.includes('/servant/') ? ServantFile : file.includes('/pipeline/') ? PipelineFile : DispatchFile;
const anyFile = (most: number) =>
	fc
		.nat(configFiles.length - 1)
		.chain((n) => fc.record({ file: fc.constant(configFiles[n]![0]), value: mutated([configFiles[n]![1]], most), garble: garbled() }));

test('4,000 mutated configuration files have a shape, or every fault of it is named', () => {
	const tally = fuzz('configuration files', 4000, anyFile(4), ({ file, value, garble }) => {
		const shape = checkShape(schemaOf(file), readYaml(garble(Buffer.from(asText(value))), file));
		if (shape.ok) return 'taken';
		expectHelpful(shape.failures);
		return 'refused';
	});
	expect(tally.seen.taken).toBeGreaterThan(100);
	expect(tally.seen.refused).toBeGreaterThan(100);
}, 120_000);

test('600 mutated projects are loaded and planned or refused in plain words', () => {
	let n = 0;
	const inputs = fc.record({
		files: fc.array(anyFile(2), { minLength: 1, maxLength: 3 }),
		manifest: fc.constantFrom(...manifests.slice(1)),
	});
	const tally = fuzz('projects', 600, inputs, ({ files, manifest }) => {
		const root = join(dir, String(n++));
		mkdirSync(root);
		try {
			for (const { file, value, garble } of files) {
				const path = join(root, file.replace('test/fixtures/old-config/', ''));
				mkdirSync(dirname(path), { recursive: true });
				writeFileSync(path, garble(Buffer.from(asText(value))));
			}
			const config = loadConfig({ root, packageDir: projectDir, userDir: null, defaults: shipped.value.defaults });
			if (!config.ok) {
				expectHelpful(config.failures);
				return 'refused';
			}
			const built = buildPlan({
				manifest: manifest as never,
				manifestSource: () => 'manifest.yaml:1:1',
				config: config.value,
				roles: roles.value.roles,
				flags: {},
				env: {},
			});
			return built.ok ? 'planned' : 'refused by the plan';
		} finally {
			rmSync(root, { recursive: true });
		}
	});
	expect(tally.seen.planned).toBeGreaterThan(20);
	expect(tally.seen.refused).toBeGreaterThan(20);
}, 120_000);
