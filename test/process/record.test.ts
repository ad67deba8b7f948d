import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { cancelRecord, readRecord } from '../../src/process/record.ts';
import { Zoo } from './zoo.ts';

const start = 'start 77 (sh) S 1 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2621440 200\n';
const startMac = 'start 77 (sh) lstart Thu Nov  5 08:01:02 2026\n';

test.each([
	['', { state: 'empty', pid: null }],
	['start 77 (sh', { state: 'empty', pid: null }],
	[start, { state: 'started', pid: 77, startTime: '987654', exitCode: null, limitHit: false }],
	[`${start}exit 13`, { state: 'started', exitCode: null }],
	[`${start}exit 137\n`, { state: 'exited', exitCode: 137, signal: 'SIGKILL' }],
	[`${start}exi\nexit 0\n`, { state: 'exited', exitCode: 0, signal: null }],
	[`${start}limit\n`, { state: 'started', limitHit: true }],
	[`${start}limit\nexit 143\n`, { state: 'exited', exitCode: 143, limitHit: true }],
	[startMac, { state: 'started', pid: 77, startTime: 'Thu Nov 5 08:01:02 2026' }],
	['cancelled\n', { state: 'cancelled' }],
	['cancelled\nexit 0\n', { state: 'cancelled', exitCode: null }],
	['exit 0\n', { state: 'garbled', exitCode: null }],
	['start nonsense\nexit 0\n', { state: 'garbled', exitCode: null }],
	['\u0000\u0000\n', { state: 'garbled' }],
	['\n', { state: 'garbled' }],
])('the record %j is read as %j', async (text, expected) => {
	await using zoo = await Zoo.create();
	await writeFile(zoo.path('record'), text);
	expect(readRecord(zoo.path('record'))).toMatchObject(expected);
});

test('no record, a record in a folder that is gone, and things that are no files', async () => {
	await using zoo = await Zoo.create();
	expect(readRecord(zoo.path('record')).state).toBe('none');
	expect(readRecord(zoo.path('gone/record')).state).toBe('none');
	await mkdir(zoo.path('folder'));
	expect(readRecord(zoo.path('folder')).state).toBe('garbled');
	execFileSync('mkfifo', [zoo.path('fifo')]);
	expect(readRecord(zoo.path('fifo')).state).toBe('garbled'); // and does not wait for a writer
});

test('a record can be cancelled once, and never when a wrapper has it', async () => {
	await using zoo = await Zoo.create();
	expect(cancelRecord(zoo.path('a'))).toBe('cancelled');
	expect(readRecord(zoo.path('a')).state).toBe('cancelled');
	expect(cancelRecord(zoo.path('a'))).toBe('exists');
	await writeFile(zoo.path('b'), start);
	expect(cancelRecord(zoo.path('b'))).toBe('exists');
	expect(readRecord(zoo.path('b')).state).toBe('started');
	expect(cancelRecord(zoo.path('gone/record'))).toBe('failed');
});
