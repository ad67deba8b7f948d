import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '../../src/contract/evidence.ts';
import { FailureClass } from '../../src/contract/stage-failure.ts';
import { judge } from '../../src/gate/judge.ts';
import { loadRoles } from '../../src/prompt/templates.ts';
import { startProgress } from '../../src/servant/progress.ts';
import { reasonOf } from '../../src/triage/describe.ts';
import { exitKindOf, signatureOf } from '../../src/triage/signature.ts';
import { projectDir } from '../project-dir.ts';
import { answers } from '../rig.ts';
import { authorOf, recordings, streamOf } from '../servant/recording.ts';
import { garbled, mutated } from './mutations.ts';
import { fuzz } from './seed.ts';

const roles = loadRoles([join(projectDir, 'templates')]);
if (!roles.ok) throw new Error('the templates do not load');

const played = recordings.map((recording) => ({ recording, servant: authorOf(recording.tool), lines: eventsOf(streamOf(recording)) }));

function eventsOf(stream: Buffer): unknown[] {
	return stream
		.toString('utf8')
		.split('\n')
		.filter((line) => line.trim() !== '')
		.map((line) => {
			try {
				return JSON.parse(line) as unknown;
			} catch {
				return line;
			}
		});
}

/** A recorded run: lines left out, doubled, moved and changed inside, then its bytes garbled and cut into chunks anywhere. */
const stream = fc.nat(played.length - 1).chain((which) => {
	const { lines } = played[which]!;
	const line =
		lines.length === 0
			? fc.constant({})
			: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...lines) }, { weight: 1, arbitrary: mutated(lines, 2) });
	return fc.record({
		which: fc.constant(which),
		inserted: fc.array(fc.tuple(fc.nat(1000), line), { maxLength: 6 }),
		removed: fc.array(fc.nat(1000), { maxLength: 3 }),
		garble: garbled(3),
		chunk: fc.integer({ min: 1, max: 5000 }),
		exitCode: fc.constantFrom(0, 0, 0, 1, 2, 53, 127, 143, 255, null),
		role: fc.constantFrom(...Object.keys(roles.ok ? roles.value.roles : {})),
		answer: fc.constantFrom(null, ...Object.values(answers)),
	});
});

/** Only we can know these; a stream that claims them is not believed. */
const oursAlone = new Set(['timeout', 'output_limit', 'forbidden_input', 'internal', 'scope_violation', 'acceptance_failed', 'no_change']);

test('10,000 mutated streams are read, judged and described; nothing a stream says passes for what only we can know', () => {
	const tally = fuzz('streams', 10_000, stream, ({ which, inserted, removed, garble, chunk, exitCode, role, answer }) => {
		const { recording, servant, lines } = played[which]!;
		const events = [...lines];
		for (const at of removed) events.splice(at % (events.length + 1), 1);
		for (const [at, event] of inserted) events.splice(at % (events.length + 1), 0, event);
		const bytes = garble(Buffer.from(events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n')));
		// The fold forgives a reader that throws; we do not.
		for (const [, event] of inserted) if (typeof event === 'object') servant.read(event);
		const running = startProgress({ servant, model: 'pro', prices: { pro: { input: 1, cached_input: 0.1, output: 2 } } });
		for (let at = 0; at < bytes.length; at += chunk) running.push(bytes.subarray(at, at + chunk));
		running.end({ exitCode, stderr: recording.stderr, scratchFile: () => bytes.toString('utf8', 0, 2000) });
		const progress = running.value;
		expectSane(progress);
		const evidence: Evidence = {
			stage: 'x_review',
			tool: recording.tool,
			role: roles.value.roles[role]!,
			roleName: role,
			output: 'jsonl',
			exitCode,
			signal: null,
			ending: null,
			maxSteps: 50,
			lost: false,
			progress,
			answer: answer ?? progress.text,
			stderr: recording.stderr,
			token: 'ab12',
			prompt: '',
			noise: [],
			changes: [],
			work: [],
			scope: { allow: [], deny: [] },
			acceptance: [],
			diff: { kind: 'none' },
			failOnHigh: true,
			now: '2026-01-01T00:00:00.000Z',
		};
		const result = judge(evidence);
		if (result.pass) {
			expect({ exitCode, final: progress.final }).toEqual({ exitCode: 0, final: 'success' });
			return 'passed';
		}
		const { failure } = result;
		FailureClass.parse(failure.class);
		if (role !== 'impl' && role !== 'improve') expect(oursAlone.has(failure.class) ? failure : null).toBeNull();
		const signature = signatureOf({
			class: failure.class,
			stage: 'x_review',
			tool: recording.tool,
			exitKind: exitKindOf({ exitCode, signal: null, ending: null }),
			reason: reasonOf(failure),
			stderr: recording.stderr,
		});
		expect(signature).toMatch(/^[0-9a-f]{16}$/);
		return failure.class;
	});
	expect(tally.seen.passed).toBeGreaterThan(50);
	expect(Object.keys(tally.seen).length).toBeGreaterThan(5);
}, 180_000);

function expectSane(progress: ReturnType<typeof startProgress>['value']): void {
	const { stepsComputed, stepsReported, turnsReported, costUsd, usage, text, sessionId } = progress;
	for (const count of [stepsComputed, stepsReported, turnsReported, costUsd, ...Object.values(usage)]) {
		if (count !== null && !(Number.isFinite(count) && count >= 0))
			throw new Error(`a count of ${count}: ${JSON.stringify(progress).slice(0, 500)}`);
	}
	expect(typeof text).toBe('string');
	expect(sessionId === null || typeof sessionId === 'string').toBe(true);
}

test('streams of pure noise end in no answer', () => {
	const noise = fc.record({ which: fc.nat(played.length - 1), chunks: fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 12 }) });
	fuzz('streams of noise', 2000, noise, ({ which, chunks }) => {
		const running = startProgress({ servant: played[which]!.servant, model: null });
		for (const chunk of chunks) running.push(Buffer.from(chunk));
		running.end({ exitCode: 0, stderr: '', scratchFile: () => null });
		expectSane(running.value);
		expect(running.value.final).not.toBe('success');
		return 'no answer';
	});
});
