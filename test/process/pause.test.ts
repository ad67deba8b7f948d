import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pause } from '../../src/process/pause.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const days = (n: number): number => n * 86_400_000;

test('a pause longer than a timer can be is as long as it was meant', async () => {
	let over = false;
	const paused = pause(days(60)).then(() => {
		over = true;
	});
	await vi.advanceTimersByTimeAsync(days(60) - 1);
	expect(over).toBe(false);
	await vi.advanceTimersByTimeAsync(1);
	await paused;
});

test('any of its signals ends a pause, however long it has been, and nothing of it is left', async () => {
	const [one, other] = [new AbortController(), new AbortController()];
	const paused = pause(days(60), one.signal, undefined, other.signal);
	await vi.advanceTimersByTimeAsync(days(30));
	other.abort();
	await paused;
	expect(vi.getTimerCount()).toBe(0);
	await pause(days(60), other.signal);
	expect(vi.getTimerCount()).toBe(0);
});
