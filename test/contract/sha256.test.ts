import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';

test('short and long texts have the hashes that node gives them, before and after its own is loaded', async () => {
	const texts = ['', 'abc', 'ü→', 'a'.repeat(55), 'a'.repeat(64), 'b'.repeat(2048), 'b'.repeat(2049), 'c'.repeat(100_000)];
	const expected = texts.map((text) => createHash('sha256').update(text).digest('hex'));
	vi.resetModules();
	const { sha256, loadHash } = await import('../../src/contract/sha256.ts');
	expect(texts.map((text) => sha256(text))).toEqual(expected);
	expect(texts.map((text) => sha256(Buffer.from(text)))).toEqual(expected);
	loadHash();
	expect(texts.toReversed().map((text) => sha256(text))).toEqual(expected.toReversed());
});
