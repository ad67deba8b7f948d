import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProgress } from '../../src/servant/progress.ts';
import { servantFor } from '../../src/servant/servants.ts';
import { ask } from './ask.ts';
import { play, recordings } from './recording.ts';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dispatch-replay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function replayed(given: { stage?: string; role?: string; dir?: string }) {
	const servant = servantFor('replay', { args: given.dir === undefined ? [] : [given.dir] });
	const { command, args } = servant.invocation({ ...ask, stage: given.stage, role: given.role });
	const run = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } });
	const running = startProgress({ servant, model: null });
	running.push(run.stdout);
	running.end({ exitCode: run.status, stderr: run.stderr, scratchFile: () => null });
	return { ...run, progress: running.value };
}

test('an answer is replayed by role, or by stage where there is one', () => {
	writeFileSync(join(folder, 'review.md'), '# Findings\n\nnone — “ok”\n');
	writeFileSync(join(folder, 'x_review-2.md'), 'again');
	expect(replayed({ dir: '.', stage: 'x_review', role: 'review' })).toMatchObject({
		status: 0,
		progress: { text: '# Findings\n\nnone — “ok”\n', final: 'success', stepsComputed: 1, costUsd: 0 },
	});
	expect(replayed({ dir: folder, stage: 'x_review-2', role: 'review' }).progress.text).toBe('again');
});

test('a recorded stream is replayed with its exit code, and costs nothing any more', () => {
	const stream = new URL('../fixtures/streams/claude/maxturns.jsonl', import.meta.url);
	cpSync(stream, join(folder, 'impl.jsonl'));
	writeFileSync(join(folder, 'impl.exit'), '{"code":1}');
	expect(replayed({ dir: folder, role: 'impl' })).toMatchObject({
		status: 1,
		progress: { final: 'error', stepsComputed: 3, complaint: { class: 'max_steps' }, costUsd: 0 },
	});
});

test('who was ended by a signal is ended by it again', () => {
	const stream = new URL('../fixtures/streams/claude/sleep-sigterm.jsonl', import.meta.url);
	cpSync(stream, join(folder, 'impl.jsonl'));
	writeFileSync(join(folder, 'impl.exit'), '{"code":null,"signal":"SIGTERM","wall_ms":1629}');
	const run = replayed({ dir: folder, role: 'impl' });
	expect([run.status, run.signal, run.stdout]).toEqual([null, 'SIGTERM', readFileSync(stream, 'utf8')]);
	writeFileSync(join(folder, 'impl.exit'), '3\n');
	expect(replayed({ dir: folder, role: 'impl' }).status).toBe(3);
	writeFileSync(join(folder, 'impl.exit'), 'three');
	expect(replayed({ dir: folder, role: 'impl' })).toMatchObject({ status: 1, stderr: expect.stringContaining('impl.exit is neither') });
});

test('a patch is applied before the answer is given', () => {
	execFileSync('git', ['init', '-q'], { cwd: folder });
	writeFileSync(join(folder, 'impl.md'), 'done');
	writeFileSync(join(folder, 'impl.patch'), '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n');
	expect(replayed({ dir: folder, role: 'impl' }).progress.final).toBe('success');
	expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('hello\n');
	expect(replayed({ dir: folder, role: 'impl' })).toMatchObject({
		status: 1,
		stderr: expect.stringContaining('replay: the patch does not apply'),
	});
});

test('what is missing is said', () => {
	expect(replayed({ role: 'impl' })).toMatchObject({
		status: 1,
		stderr: 'replay: no directory of recordings; set DISPATCH_REPLAY_DIR or args in the servant file\n',
		progress: {
			final: 'error',
			complaint: { class: 'config_error', message: 'no directory of recordings; set DISPATCH_REPLAY_DIR or args in the servant file' },
		},
	});
	expect(replayed({ dir: folder, role: 'impl' })).toMatchObject({
		status: 1,
		stderr: `replay: no recording ${folder}/impl.jsonl or .md\n`,
		progress: { final: 'error', complaint: { class: 'config_error', message: `no recording ${folder}/impl.jsonl or .md` } },
	});
});

test('any built-in servant’s stream is understood as its author understands it', () => {
	for (const recording of recordings.filter(({ tool }) => tool !== 'opencode')) {
		const ended = { ...recording, code: null };
		const again = play(ended, { servant: servantFor('replay', undefined) });
		expect(again, `${recording.tool} ${recording.name}`).toEqual({
			...play(ended),
			costUsd: 0,
			costBeforeSuccessUsd: 0,
			costSource: 'computed',
		});
	}
});
