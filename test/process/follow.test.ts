import { spawn } from 'node:child_process';
import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { followFile } from '../../src/process/follow.ts';
import { until, Zoo } from './zoo.ts';

test('a file is followed from before it exists to its last byte', async () => {
	await using zoo = await Zoo.create();
	let text = '';
	const followed = followFile({ file: zoo.path('stream'), onChunk: (chunk) => (text += chunk.toString()) });
	await followed.drain();
	expect(followed.bytes).toBe(0);
	await writeFile(zoo.path('stream'), 'one\n');
	await until(() => text === 'one\n', 'the first line, by the timer');
	await appendFile(zoo.path('stream'), 'two, no newline');
	await followed.drain();
	followed.stop();
	expect(text).toBe('one\ntwo, no newline');
	expect(followed).toMatchObject({ bytes: 19, truncated: false, failure: null });
});

test('a stream of many pieces arrives whole and in order', async () => {
	await using zoo = await Zoo.create();
	const bytes = Buffer.alloc(20_000_003, 'abcdefghijk');
	await writeFile(zoo.path('stream'), bytes);
	const got: Buffer[] = [];
	const followed = followFile({ file: zoo.path('stream'), onChunk: (chunk) => got.push(Buffer.from(chunk)) });
	await followed.drain();
	followed.stop();
	expect(Math.max(...got.map((chunk) => chunk.length))).toBeLessThanOrEqual(1 << 20);
	expect(Buffer.concat(got).equals(bytes)).toBe(true);
});

test('a last drain ends although somebody goes on writing', async () => {
	await using zoo = await Zoo.create();
	const writer = spawn('/bin/sh', ['-c', `exec yes >>'${zoo.path('stream')}'`], { stdio: 'ignore' });
	try {
		const followed = followFile({ file: zoo.path('stream'), onChunk: () => undefined });
		await until(() => followed.bytes > 0, 'bytes');
		await followed.drain();
		followed.stop();
		const atStop = followed.bytes;
		await followed.drain();
		expect(followed.bytes).toBe(atStop);
	} finally {
		writer.kill('SIGKILL');
	}
});

test('a file that was cut off is noticed, and read on from its new beginning', async () => {
	await using zoo = await Zoo.create();
	await writeFile(zoo.path('stream'), 'a long first line\n');
	let text = '';
	const followed = followFile({ file: zoo.path('stream'), onChunk: (chunk) => (text += chunk.toString()) });
	await followed.drain();
	await truncate(zoo.path('stream'), 0);
	await appendFile(zoo.path('stream'), 'new\n');
	await followed.drain();
	followed.stop();
	expect([text, followed.truncated]).toEqual(['a long first line\nnew\n', true]);
});

test('what cannot be read is said and tried again; what the reader itself throws is a bug and is thrown', async () => {
	await using zoo = await Zoo.create();
	const folder = followFile({ file: zoo.dir, onChunk: () => undefined });
	await folder.drain();
	expect(folder.failure).toContain('EISDIR');
	folder.stop();
	await writeFile(zoo.path('stream'), 'x');
	const broken = followFile({
		file: zoo.path('stream'),
		onChunk: () => {
			throw new Error('reader bug');
		},
	});
	await expect(broken.drain()).rejects.toThrow('reader bug');
	broken.stop();
});
