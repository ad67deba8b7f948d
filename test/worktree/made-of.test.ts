import { type BigIntStats, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { madeOf } from '../../src/worktree/made-of.ts';

function file() {
	const dir = mkdtempSync(join(tmpdir(), 'made-of-'));
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
	const path = join(dir, 'file');
	writeFileSync(path, 'one');
	let made = 0;
	const read = () => {
		made++;
		return readFileSync(path, 'utf8');
	};
	return { path, stat: () => statSync(path, { bigint: true }), of: (stat: BigIntStats) => madeOf(path, stat, read), made: () => made };
}

const past = async (stat: BigIntStats): Promise<void> => {
	while (Date.now() - Number(stat.ctimeMs) < 3000 && (Number(stat.ctimeMs) % 1000 === 0 || Date.now() - Number(stat.ctimeMs) < 60))
		await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a file that did not change is read once', async () => {
	const { stat, of, made } = file();
	await past(stat());
	expect([of(stat()), of(stat()), of(stat())]).toEqual(['one', 'one', 'one']);
	expect(made()).toBe(1);
});

test('a change of the same length, with its time set back, is seen', async () => {
	const { path, stat, of } = file();
	const before = stat();
	await past(before);
	expect(of(stat())).toBe('one');
	writeFileSync(path, 'two');
	utimesSync(path, Number(before.atimeMs) / 1000, Number(before.mtimeMs) / 1000);
	expect(of(stat())).toBe('two');
});

test('a file that is too young to be told from a later change is read again', () => {
	const { path, stat, of, made } = file();
	const young = stat();
	expect(of(young)).toBe('one');
	writeFileSync(path, 'two');
	// As if the clock had not ticked between the two.
	expect(of(young)).toBe('two');
	expect(made()).toBe(2);
});
