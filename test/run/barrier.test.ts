import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeBarrier } from '../../src/run/barrier.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A disk that finishes flushes when it is told to, and a log of what happened. */
function slowDisk() {
	const log: string[] = [];
	const flushes: { readonly done: () => void; readonly refuse: (why: Error) => void }[] = [];
	const flush = (files: readonly string[]) =>
		new Promise<void>((resolve, reject) => {
			log.push(`flush ${files.join(' ')}`);
			flushes.push({ done: resolve, refuse: reject });
		});
	const settle = { draft: () => ({ files: ['draft'], publish: () => void log.push('told') }) };
	return { log, flushes, barrier: makeBarrier('journal', settle, flush) };
}

const done = (flush: { readonly done: () => void }) => flush.done();

test('what a stage leaves behind goes to the disk at once, and is waited for and told with the next reservation', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const reached = barrier.reach(['prompt']).then(() => log.push('started'));
	expect(log).toEqual(['flush answer', 'flush journal prompt', 'flush draft']);
	flushes.forEach(done);
	await reached;
	vi.runAllTimers();
	expect(log.slice(3)).toEqual(['marked', 'told', 'started']);
});

test.each([0, 1])('neither answer nor reservation nor journal may be missing on disk: flush %i', async (late) => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const reached = barrier.reach(['prompt']);
	for (const [n, flush] of flushes.entries()) if (n !== late) flush.done();
	await new Promise((resolve) => process.nextTick(resolve));
	expect(log).toEqual(['flush answer', 'flush journal prompt', 'flush draft']);
	flushes[late]!.done();
	await reached;
	expect(log).toContain('marked');
});

test('a summary may be later on disk than what it tells; the next barrier waits for it, and so does the end of a run', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const reached = barrier.reach([]);
	flushes[0]!.done();
	flushes[1]!.done();
	await reached;
	expect(log).toEqual(['flush answer', 'flush journal', 'flush draft', 'marked', 'told']);
	const later = [barrier.rest().then(() => log.push('rested')), barrier.reach(['prompt']).then(() => log.push('reached'))];
	flushes[3]!.done();
	await new Promise((resolve) => process.nextTick(resolve));
	expect(log.slice(5)).toEqual(['flush journal prompt']);
	flushes[2]!.done();
	await Promise.all(later);
	expect(log.slice(6).sort()).toEqual(['reached', 'rested']);
});

test('what was only sent is waited for with the next answer, and not with a reservation', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.send(['prompt']);
	const reserved = barrier.reach([]);
	flushes[1]!.done();
	await reserved;
	barrier.owe(['answer'], () => void log.push('marked'));
	const reached = barrier.reach([]);
	for (const [n, flush] of flushes.entries()) if (n !== 0) flush.done();
	await new Promise((resolve) => process.nextTick(resolve));
	expect(log).toEqual(['flush prompt', 'flush journal', 'flush answer', 'flush journal', 'flush draft']);
	flushes[0]!.done();
	await reached;
	expect(log.slice(5)).toEqual(['marked', 'told']);
});

test('a reservation that nobody owes anything to tells nothing', async () => {
	const { log, flushes, barrier } = slowDisk();
	const reached = barrier.reach([]);
	flushes.forEach(done);
	await reached;
	expect(log).toEqual(['flush journal']);
});

test('if no stage comes, it is told after a moment, and so is whoever waits for it', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const paid = barrier.paid().then(() => log.push('paid'));
	expect(log).toEqual(['flush answer']);
	vi.runAllTimers();
	flushes.forEach(done);
	await paid;
	expect(log.slice(-3)).toEqual(['marked', 'told', 'paid']);
});

test('a barrier is not passed before an earlier one, however fast the disk is', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const passed = [barrier.reach(['one']), barrier.reach(['two'])].map((reached, n) => reached.then(() => log.push(`passed ${n}`)));
	flushes[3]!.done();
	await new Promise((resolve) => process.nextTick(resolve));
	expect(log).toEqual(['flush answer', 'flush journal one', 'flush draft', 'flush journal two']);
	flushes.forEach(done);
	await Promise.all(passed);
	expect(log.slice(4)).toEqual(['marked', 'told', 'passed 0', 'passed 1']);
});

test('a disk that refuses stops the one who waits, all who come after, and the marker', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	flushes[0]!.refuse(new Error('full'));
	const paid = barrier.paid();
	vi.runAllTimers();
	flushes.forEach(done);
	await expect(paid).rejects.toThrow('full');
	const next = barrier.reach(['journal']);
	flushes.forEach(done);
	await expect(next).rejects.toThrow('full');
	expect(log).not.toContain('marked');
});

test('who only lets others go first waits for their barriers, and hears nothing of what befalls them', async () => {
	const { log, flushes, barrier } = slowDisk();
	const first = barrier.reach(['one']);
	const second = barrier.reach(['two']);
	const after = barrier.latest().then(() => log.push('after'));
	flushes[0]!.done();
	await first;
	expect(log).not.toContain('after');
	flushes[1]!.refuse(new Error('full'));
	await expect(second).rejects.toThrow('full');
	await after;
	expect(log).toContain('after');
});

test('what is dropped is not done, though the disk may still be at it', async () => {
	const { log, flushes, barrier } = slowDisk();
	barrier.owe(['answer'], () => void log.push('marked'));
	const reached = barrier.reach([]);
	barrier.owe(['another'], () => void log.push('marked another'));
	barrier.drop();
	flushes.forEach(done);
	await reached;
	vi.runAllTimers();
	expect(log.filter((line) => !line.startsWith('flush'))).toEqual([]);
});
