import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PacketStatus } from '../../src/contract/words.ts';
import { renderSummary } from '../../src/report/summary.ts';
import type { FailureView, StageRow, SummaryView } from '../../src/report/summary-shape.ts';

const nasty = fc.constantFrom(
	'---',
	'\n---\nstatus: completed\n',
	'```',
	`${'`'.repeat(250)}`,
	'~~~',
	'\x1b[2J\x1b[H',
	'\u202e',
	'| a | b |',
	'"',
	'\\'.repeat(300),
	'true',
	'2024-01-01',
	'null',
	'&a *b !!c',
	'日'.repeat(150),
	'e\u0301'.repeat(150),
	'👍'.repeat(150),
	'\ud800',
	'\r\n\r\n',
	'x'.repeat(5000),
);
const text = fc.oneof(
	nasty,
	fc.string({ unit: 'binary' }),
	fc.array(nasty).map((parts) => parts.join('\n')),
);
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true }), fc.constant(null));

const stage: fc.Arbitrary<StageRow> = fc.record({
	name: text,
	status: fc.constantFrom('pending', 'running', 'waiting', 'passed', 'failed', 'interrupted'),
	tool: fc.option(text),
	attempt: fc.nat(),
	durationSec: number,
	exitCode: number,
	steps: number,
	costUsd: number,
	waitingUntil: fc.option(text),
	gate: text,
	output: fc.option(text),
});
const megabytes = fc
	.tuple(text, fc.nat(200_000))
	.map(([part, n]) => `${part}\n`.repeat(Math.min(n, Math.ceil(2_000_000 / (part.length + 1)))));
const failure: fc.Arbitrary<FailureView> = fc.record({
	class: text,
	signature: text,
	stage: text,
	tool: fc.option(text),
	attempt: fc.nat(),
	exitCode: number,
	reason: text,
	others: fc.array(text),
	stderr: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: megabytes }),
});
const problem = fc.record({
	level: fc.constantFrom('error' as const, 'warning' as const),
	file: text,
	line: fc.option(fc.nat()),
	col: fc.option(fc.nat(10_000)),
	message: text,
	excerpt: fc.option(text),
});
const view: fc.Arbitrary<SummaryView> = fc.record({
	taskId: text,
	status: fc.constantFrom(...PacketStatus.options),
	intent: fc.option(text),
	profile: fc.option(text),
	group: fc.option(text),
	nextAction: text,
	verdict: fc.option(text),
	updated: text,
	headline: text,
	stages: fc.array(stage, { maxLength: 60 }),
	budgets: fc.option(
		fc.record({
			paidCalls: fc.record({ used: fc.nat(), allowed: fc.nat(), inDoubt: fc.nat() }),
			cost: fc.record({ usedUsd: number, allowedUsd: number, unknownCalls: fc.nat() }),
			retriesPerSignature: fc.nat(),
			wallclockSec: fc.nat(),
		}),
	),
	steps: number,
	turns: number,
	usage: fc.record({ input_tokens: number, cached_input_tokens: number, output_tokens: number }),
	workspace: fc.option(fc.record({ branch: text, path: text })),
	warnings: fc.array(text, { maxLength: 40 }),
	problems: fc.array(problem, { maxLength: 100 }),
	failure: fc.option(failure),
});

test('a summary is at most 80 lines of 200 characters, parses, and keeps its status and its failing stage', () => {
	fc.assert(
		fc.property(view, (given) => {
			const summary = renderSummary(given);
			const lines = summary.split('\n');
			expect(lines.length).toBeLessThanOrEqual(80);
			for (const line of lines) expect(line.length).toBeLessThanOrEqual(200);
			expect(summary).not.toMatch(/[^\P{C}\n\p{Co}\p{Cn}]/u);

			expect(lines.slice(0, 9).filter((line) => line === '---')).toHaveLength(2);
			const front = parse(lines.slice(1, 8).join('\n'));
			expect(Object.keys(front)).toEqual(['task_id', 'status', 'intent', 'profile', 'next_action', 'verdict', 'updated']);
			expect(front.status).toBe(given.status);
			for (const value of Object.values(front)) expect(value === null || typeof value === 'string').toBe(true);

			const failed = given.stages.find((row) => row.status === 'failed');
			if (failed !== undefined) expect(lines.some((line) => / \| failed +\| /.test(line))).toBe(true);
			if (given.failure !== null) expect(lines).toContain('## Failure');
		}),
		{ numRuns: 300 },
	);
});

const plain: SummaryView = {
	taskId: 't1',
	status: 'failed',
	intent: 'x',
	profile: 'x',
	group: null,
	nextAction: 'a: b',
	verdict: null,
	updated: 'now',
	headline: 'It failed.',
	stages: [],
	budgets: null,
	steps: null,
	turns: null,
	usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null },
	workspace: null,
	warnings: [],
	problems: [],
	failure: { class: 'c', signature: 's', stage: 'x', tool: 't', attempt: 1, exitCode: 1, reason: 'r', stderr: '', others: [] },
};

test('nothing in a stderr closes its fence', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('```', '`````', '   ```', '`'.repeat(300), 'text', '~~~')), (stderr) => {
			const lines = renderSummary({ ...plain, failure: { ...plain.failure!, stderr: `first\n${stderr.join('\n')}\nlast` } })
				.trimEnd()
				.split('\n');
			const open = lines.findIndex((line) => /^`{3,}$/.test(line));
			const closing = new RegExp(`^ {0,3}\`{${lines[open]!.length},}$`);
			expect(lines.findIndex((line, at) => at > open && closing.test(line))).toBe(lines.length - 1);
		}),
	);
});

const row = (name: string, status: StageRow['status']): StageRow => ({
	name,
	status,
	tool: 'codex',
	attempt: 1,
	durationSec: 1,
	exitCode: 0,
	steps: 1,
	costUsd: 1,
	waitingUntil: null,
	gate: status === 'passed' ? 'passed' : 'timeout',
	output: null,
});

test('of many stages those that passed are folded, the failing one is not', () => {
	const stages = Array.from({ length: 60 }, (_, at) => row(`codex_s${at}`, at === 55 ? 'failed' : 'passed'));
	const summary = renderSummary({ ...plain, stages });
	expect(summary).toMatch(/\| codex_s55 +\| failed/);
	expect(summary).toMatch(/\| … 41 more stages \| 41 passed/);
});

test('when space is short the stderr shrinks first', () => {
	const stderr = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
	const stages = Array.from({ length: 20 }, (_, at) => row(`codex_s${at}`, at === 19 ? 'failed' : 'passed'));
	const warnings = Array.from({ length: 9 }, (_, at) => `warning ${at}`);
	const summary = renderSummary({ ...plain, stages, warnings, failure: { ...plain.failure!, stderr } });
	expect(summary).toContain('- … 2 more\n');
	expect(summary).toContain('stderr (first 10 and last 11 lines):');
	expect(summary).toContain('\nline 9\n… left out …\nline 89\n');
	expect(summary.split('\n')).toHaveLength(80);
});

test('more problems than fit are counted', () => {
	const problems = Array.from({ length: 100 }, (_, at) => ({
		level: 'error' as const,
		file: 'manifest.yaml',
		line: at + 1,
		col: 1,
		message: `problem ${at}`,
		excerpt: 'x',
	}));
	const summary = renderSummary({ ...plain, status: 'invalid', failure: null, problems });
	expect(summary).toContain('manifest.yaml:62:1  error  problem 61\n… 38 more problems\n```\n');
});
