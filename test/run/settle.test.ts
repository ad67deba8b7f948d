import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeSettle } from '../../src/run/settle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what is due soon is written once: when the next stage waits for the disk, or else after a moment', async () => {
	let written = 0;
	const settle = makeSettle(() => void written++);
	settle.ifDue();
	expect(written).toBe(0);
	const [one, two] = [settle.soon(), settle.soon()];
	settle.ifDue();
	settle.ifDue();
	await Promise.all([one, two]);
	vi.runAllTimers();
	expect(written).toBe(1);
	const later = settle.soon();
	vi.runAllTimers();
	await later;
	expect(written).toBe(2);
});

test('a disk that refuses is told to whoever waits, not to the stage that happened to come by', async () => {
	const settle = makeSettle(() => {
		throw new Error('full');
	});
	const due = settle.soon();
	expect(() => settle.ifDue()).not.toThrow();
	await expect(due).rejects.toThrow('full');
	expect(() => settle.now()).toThrow('full');
});
