import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepare } from '../../src/packet/disk.ts';
import { makeSettle } from '../../src/run/settle.ts';

function summaries() {
	const dir = mkdtempSync(join(tmpdir(), 'settle-'));
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
	const file = join(dir, '_summary.md');
	let n = 0;
	return { dir, file, settle: makeSettle(() => [prepare(file, `summary ${++n}\n`)]) };
}

test('a draft is whole before it has its name, and takes it when it is told to', () => {
	const { file, settle } = summaries();
	const draft = settle.draft();
	expect(existsSync(file)).toBe(false);
	expect(draft.files.map((temp) => readFileSync(temp, 'utf8'))).toEqual(['summary 1\n']);
	draft.publish();
	expect(readFileSync(file, 'utf8')).toBe('summary 1\n');
});

test('a draft that waited for the disk does not replace what was told meanwhile, and leaves nothing behind', () => {
	const { dir, file, settle } = summaries();
	const old = settle.draft();
	settle.now();
	old.publish();
	expect(readFileSync(file, 'utf8')).toBe('summary 2\n');
	expect(readdirSync(dir)).toEqual(['_summary.md']);
});

test('what must be told at least once is not told again', () => {
	const { file, settle } = summaries();
	settle.once();
	settle.once();
	expect(readFileSync(file, 'utf8')).toBe('summary 1\n');
});
