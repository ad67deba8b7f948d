import { beforeEach, expect, test } from 'vitest';
import { type ConsoleOptions, makeConsole } from '../../src/report/console.ts';
import { story } from '../journal/story.ts';
import { Screen } from './screen.ts';

const cross = ['gemini_review', 'codex_review'];
const start = Date.parse('2026-03-01T12:00:00.000Z');

beforeEach(() => {
	process.env.TZ = 'UTC';
});

/** A console on a screen, with a clock that the test moves: seconds since the first event. */
function rig(options: Partial<ConsoleOptions> = {}, columns = 80, height = 24) {
	const screen = new Screen(columns, height);
	const clock = { sec: 0 };
	const terminal = makeConsole({
		stream: screen,
		isTTY: true,
		colour: false,
		quiet: false,
		columns: () => columns,
		rows: () => height,
		now: () => start + clock.sec * 1000,
		intervalSec: 10,
		...options,
	});
	return { screen, terminal, clock };
}

test('on a terminal running stages update in place and finished ones stay', () => {
	const { screen, terminal, clock } = rig({ summaryPath: (id) => `.tmp/task/${id}/outputs/_summary.md` });
	const t = story();
	terminal.event(t.run(cross));
	terminal.event(t.reserved('gemini_review'));
	terminal.event(t.started('gemini_review'));
	terminal.event(t.reserved('codex_review'));
	clock.sec = 9;
	terminal.event(t.progress('gemini_review', { time: new Date(start + 9000).toISOString(), elapsed_sec: 7, steps: 3, cost_usd: 0.01 }));
	expect(screen.text).toBe(['t1: 2 stages', '→ gemini_review  7s  3 steps  $0.01', '→ codex_review   6s'].join('\n'));
	clock.sec = 75;
	terminal.tick();
	expect(screen.text).toBe(['t1: 2 stages', '→ gemini_review  1m13s  3 steps  $0.01', '→ codex_review   1m12s'].join('\n'));
	terminal.event(t.passed('gemini_review', { verdict: 'APPROVED' }));
	terminal.event(t.waiting('codex_review'));
	expect(screen.text).toBe(
		[
			't1: 2 stages',
			'✓ gemini_review  passed  12.3s  4 steps  $0.02  APPROVED',
			'○ codex_review   waiting until 12:30:00 (rate_limit)',
		].join('\n'),
	);
	terminal.event(t.fallback('codex_review', { provider: 'claude', from: 'codex', class: 'quota' }));
	terminal.event(t.reserved('codex_review', { provider: 'claude', attempt: 2, time: new Date(start + 75_000).toISOString() }));
	clock.sec = 80;
	terminal.event(
		t.progress('codex_review', {
			provider: 'claude',
			attempt: 2,
			time: new Date(start + 80_000).toISOString(),
			elapsed_sec: 5,
			steps: 1,
			overtime: true,
			activity: 'acceptance: npm test',
		}),
	);
	expect(screen.text).toBe(
		[
			't1: 2 stages',
			'✓ gemini_review  passed  12.3s  4 steps  $0.02  APPROVED',
			'↻ codex_review   falls back from codex to claude (quota)',
			'→ codex_review   5s  overtime  1 step  claude  attempt 2  acceptance: npm test',
		].join('\n'),
	);
	terminal.event(t.passed('codex_review', { provider: 'claude' }));
	terminal.event(t.finished({ next_action: 'read_outputs: read outputs/codex_review.claude.out' }));
	terminal.finish();
	expect(screen.text).toBe(
		[
			't1: 2 stages',
			'✓ gemini_review  passed  12.3s  4 steps  $0.02  APPROVED',
			'↻ codex_review   falls back from codex to claude (quota)',
			'✓ codex_review   passed  12.3s  4 steps  $0.02',
			'✓ t1 completed',
			'  next: read .tmp/task/t1/outputs/codex_review.claude.out',
			'  summary: .tmp/task/t1/outputs/_summary.md',
		].join('\n'),
	);
});

test('a stage that failed for good leaves the tail of its log, made visible and redacted', () => {
	const log = Array.from({ length: 30 }, (_, at) => `line ${at} \x1b[2J KEY`).join('\n');
	const { screen, terminal } = rig({
		tail: ({ stage, tool }) => `${log}\n${stage}/${tool}\n`,
		redact: (text) => text.replaceAll('KEY', '***'),
	});
	const t = story();
	terminal.event(t.run(cross));
	terminal.event(t.reserved('codex_review'));
	terminal.event(t.failed('codex_review', { class: 'rate_limit', decision: 'retry', reason: '429' }));
	terminal.event(t.failed('codex_review', { class: 'timeout', reason: 'no answer\nwithin 900s' }));
	const lines = screen.text.split('\n');
	expect(lines.slice(0, 4)).toEqual([
		't1: 2 stages',
		'↻ codex_review   rate_limit  12.3s  4 steps  $0.02  (retry)  429',
		'✗ codex_review   timeout  12.3s  4 steps  $0.02  no answer within 900s',
		'    line 21 \\x1b[2J ***',
	]);
	expect(lines.at(-1)).toBe('    codex_review/codex');
	expect(lines).toHaveLength(13);
});

test('lines are cut to the width, and a narrower window leaves nothing behind', () => {
	let columns = 60;
	const { screen, terminal, clock } = rig({ columns: () => columns }, 60);
	const t = story();
	terminal.event(t.run(['gemini_review']));
	terminal.event(t.progress('gemini_review', { time: new Date(start).toISOString(), activity: `acceptance: ${'x'.repeat(100)}` }));
	expect(screen.text).toBe(`t1: 1 stage\n→ gemini_review  0s  acceptance: ${'x'.repeat(25)}…`);
	// The terminal folds what it shows to the new width.
	columns = 30;
	const narrow = new Screen(30);
	narrow.write(`${screen.text}\n`);
	Object.assign(screen, { lines: narrow.lines, row: narrow.row, col: 0, columns: 30 });
	clock.sec = 1;
	terminal.tick();
	expect(screen.text).toBe('t1: 1 stage\n→ gemini_review  1s  accepta…');
});

test('there are never more lines than the terminal has, and it is never erased whole', () => {
	const { screen, terminal, clock } = rig({ manyPackets: true }, 80, 5);
	terminal.note('begun');
	for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) terminal.event(story(id).reserved('codex_review'));
	clock.sec = 1;
	terminal.tick();
	expect(screen.text).toBe('begun\n→ a codex_review  1s\n→ b codex_review  1s\n… 4 more');
	expect(screen.erasedWhole).toBe(0);
});

test('nothing is written when nothing changed, and nothing after the end', () => {
	const { screen, terminal } = rig();
	const t = story();
	terminal.event(t.reserved('codex_review'));
	const before = screen.writes.length;
	terminal.tick();
	expect(screen.writes).toHaveLength(before);
	terminal.finish();
	expect(screen.text).toBe('');
	terminal.event(t.passed('codex_review'));
	expect(screen.text).toBe('');
});

test('colour is on the symbols only, and off when it is not wanted', () => {
	const { screen, terminal } = rig({ colour: true });
	terminal.event(story().passed('codex_review'));
	expect(screen.writes.at(-1)).toBe('\x1b[32m✓\x1b[39m codex_review  passed  12.3s  4 steps  $0.02\n');
});

test('without a terminal there are plain lines, a running one every interval', () => {
	const { screen, terminal, clock } = rig({ isTTY: false, tail: () => 'the end\n' });
	const t = story('t1', '2026-03-01T12:00:00.000Z');
	terminal.event(t.run(cross));
	terminal.event(t.reserved('gemini_review', { time: new Date(start).toISOString() }));
	terminal.event(t.started('gemini_review', { time: new Date(start).toISOString() }));
	for (const sec of [4, 10, 12, 20]) {
		clock.sec = sec;
		const time = new Date(start + sec * 1000).toISOString();
		terminal.event(t.progress('gemini_review', { time, elapsed_sec: sec, steps: sec === 4 ? 1 : 3, cost_usd: sec === 20 ? 0.01 : null }));
	}
	terminal.event(t.passed('gemini_review'));
	terminal.event(t.progress('codex_verify', { activity: 'acceptance: npm test' }));
	terminal.event(t.reserved('codex_verify', { kind: 'retry', attempt: 2 }));
	terminal.event(t.started('codex_verify', { attempt: 2 }));
	terminal.event(t.failed('codex_verify', { class: 'rate_limit', decision: 'retry', reason: '429' }));
	terminal.event(t.waiting('codex_verify'));
	terminal.event(
		t.failed('codex_verify', { class: 'killed', reason: 'signal 9' }, { duration_sec: null, num_steps_computed: null, cost_usd: null }),
	);
	terminal.event(t.finished({ status: 'failed', exit_code: 1, next_action: 'retry: dispatch retry t1' }));
	terminal.finish();
	expect(screen.text.split('\n')).toEqual([
		't1: 2 stages',
		'gemini_review started (gemini, attempt 1)',
		'gemini_review running 10s, 3 steps',
		'gemini_review running 20s, 3 steps, $0.01',
		'gemini_review completed 12.3s, 4 steps, $0.02',
		'codex_verify acceptance: npm test',
		'codex_verify started (codex, attempt 2, retry)',
		'codex_verify failed: rate_limit after 12.3s, 4 steps, $0.02 (retry follows): 429',
		'codex_verify waiting until 12:30:00 (rate_limit)',
		'codex_verify failed: killed: signal 9',
		'    the end',
		't1 failed',
		'  next: dispatch retry t1',
	]);
	expect(screen.writes.join('')).not.toContain('\x1b');
});

test('a stage that has waited is not said to run before it has begun again', () => {
	const { screen, terminal, clock } = rig({ isTTY: false });
	const t = story();
	const at = (sec: number) => {
		clock.sec = sec;
		return { time: new Date(start + sec * 1000).toISOString() };
	};
	terminal.event(t.waiting('codex_review', at(0)));
	terminal.event(t.reserved('codex_review', { ...at(40), kind: 'retry', attempt: 2 }));
	terminal.tick();
	terminal.event(t.started('codex_review', { ...at(40), attempt: 2 }));
	expect(screen.text.split('\n').slice(1)).toEqual(['codex_review started (codex, attempt 2, retry)']);
});

test('several packets side by side carry their ids', () => {
	const { screen, terminal } = rig({ isTTY: false, manyPackets: true });
	terminal.event(story('a').started('codex_review'));
	terminal.event(story('b').started('codex_review', { adopted: true }));
	expect(screen.text).toBe('a codex_review started (codex, attempt 1)\nb codex_review adopted (codex, attempt 1)');
});

test.each([true, false])('quiet says nothing but errors (terminal: %s)', (isTTY) => {
	const { screen, terminal, clock } = rig({ isTTY, quiet: true });
	const t = story();
	terminal.event(t.run(cross));
	terminal.event(t.reserved('codex_review'));
	terminal.event(t.started('codex_review'));
	clock.sec = 60;
	terminal.tick();
	terminal.event(t.passed('codex_review'));
	terminal.note('a note');
	terminal.event(t.finished());
	expect(screen.writes).toEqual([]);
	terminal.event(t.failed('codex_review', { reason: 'gone' }));
	terminal.error('an error\x07');
	terminal.finish();
	expect(screen.text).toContain('gone');
	expect(screen.text).toContain('an error\\x07');
});

test('a note goes above the running lines', () => {
	const { screen, terminal } = rig();
	terminal.event(story().reserved('codex_review'));
	terminal.note('max_turns is deprecated; use max_steps\n');
	expect(screen.text).toBe('max_turns is deprecated; use max_steps\n→ codex_review  0s');
});
