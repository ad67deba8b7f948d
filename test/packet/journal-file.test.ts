import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DiskTrouble } from '../../src/packet/disk.ts';
import { Journal, readJournal } from '../../src/packet/journal-file.ts';
import { story } from '../journal/story.ts';

const nothing = () => {};

function journalIn(): string {
	const dir = mkdtempSync(join(tmpdir(), 'journal-'));
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
	return join(dir, 'events.jsonl');
}

test('a journal that is not there has no events yet; one with a torn last line has those before it', () => {
	const file = journalIn();
	expect(readJournal(file)).toEqual([]);
	const begun = story('a').run(['claude_impl']);
	writeFileSync(file, `${JSON.stringify(begun)}\n{"time":`);
	expect(readJournal(file)).toEqual([begun]);
	expect(new Journal(file, nothing, nothing).state.runs).toBe(1);
});

function tooLarge(file: string): void {
	writeFileSync(file, '');
	truncateSync(file, 2 ** 29);
}

test.each([
	['too large to be read', tooLarge, /events\.jsonl: the file is too large$/],
	['no file', mkdirSync, /events\.jsonl: this is no plain file$/],
])('a journal that is %s is never taken for an empty one: what it counts would be paid again', (_, make, message) => {
	const file = journalIn();
	make(file);
	for (const read of [() => readJournal(file), () => new Journal(file, nothing, nothing)]) {
		expect(read).toThrow(DiskTrouble);
		expect(read).toThrow(message);
	}
});
