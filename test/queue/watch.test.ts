import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestVersion } from '../../src/queue/manifest-version.ts';
import { entryOf, indexPackets } from '../../src/queue/packet-index.ts';
import type { PoolEnd } from '../../src/queue/pool.ts';
import { type WatchOrder, watchQueue } from '../../src/queue/watch.ts';
import { HaltSwitch } from '../../src/run/halt.ts';
import { bottomless } from '../../src/run/purse.ts';

let root: string;
let halt: HaltSwitch;
let started: { id: string; status: string }[];
let arrived: () => void;
let end: Promise<PoolEnd> | null;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'dispatch-watch-'));
	halt = new HaltSwitch();
	started = [];
	arrived = () => {};
	end = null;
});

afterEach(async () => {
	halt.stop();
	await end;
	rmSync(root, { recursive: true, force: true });
});

const tasks = (...path: string[]) => join(root, '.tmp/task', ...path);
const good = (id: string, more = '') => `task_id: ${id}\ngoal: look\ntask_type: explore\n${more}`;

function drop(id: string, text: string): void {
	mkdirSync(tasks(id), { recursive: true });
	writeFileSync(tasks(id, 'manifest.yaml'), text);
}

/** Ends every packet at once, as a run would: a word in the journal if it was valid, else in its summary. */
function begin(more: Partial<WatchOrder> = {}): void {
	end = watchQueue({
		root,
		once: false,
		now: Date.now,
		full: () => {},
		look: () => indexPackets(root),
		lookAt: (id) => entryOf(root, id),
		version: (id) => manifestVersion(root, id),
		runOne: async (id) => {
			const { status, dependsOn } = entryOf(root, id)!;
			const refused = status === 'invalid' || dependsOn.some((other) => entryOf(root, other) === null);
			if (refused) refuse(id);
			else finish(id);
			started.push({ id, status });
			arrived();
			return { exitCode: refused ? 3 : 0 };
		},
		bug: (_id, error) => {
			throw error;
		},
		jobs: 2,
		halt,
		purse: bottomless,
		...more,
	});
}

/** What a run leaves that found it invalid. */
function refuse(id: string): void {
	mkdirSync(tasks(id, 'outputs'), { recursive: true });
	const summary = tasks(id, 'outputs/_summary.md');
	writeFileSync(summary, '---\nstatus: invalid\n---\n');
	// The clock of a file system ticks slowly: what is written next must be seen to be newer.
	utimesSync(summary, Date.now() / 1000 - 0.2, Date.now() / 1000 - 0.2);
}

function finish(id: string): void {
	mkdirSync(tasks(id, 'state'), { recursive: true });
	const base = { time: '2026-01-01T00:00:00.000Z', task_id: id };
	const lines = [
		{ ...base, type: 'run_started' },
		{ ...base, type: 'run_finished', status: 'completed' },
	];
	writeFileSync(tasks(id, 'state/events.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function untilStarted(...ids: string[]): Promise<void> {
	while (started.length < ids.length) {
		await new Promise<void>((resolve) => {
			arrived = resolve;
		});
	}
	expect(started.map((one) => one.id)).toEqual(ids);
}

test('a manifest that is dropped starts', async () => {
	begin();
	drop('a', good('a'));
	await untilStarted('a');
});

test('a packet that is moved in whole starts', async () => {
	mkdirSync(join(root, 'elsewhere'));
	writeFileSync(join(root, 'elsewhere/manifest.yaml'), good('moved'));
	begin();
	renameSync(join(root, 'elsewhere'), tasks('moved'));
	await untilStarted('moved');
});

test('a manifest that is copied under a temporary name, with old dates, starts when it has its own name', async () => {
	begin();
	mkdirSync(tasks('copied/inputs'), { recursive: true });
	writeFileSync(tasks('copied/.manifest.yaml.Ab12Cd'), good('copied'));
	utimesSync(tasks('copied/.manifest.yaml.Ab12Cd'), 1000, 1000);
	renameSync(tasks('copied/.manifest.yaml.Ab12Cd'), tasks('copied/manifest.yaml'));
	// Its inputs are still on their way.
	writeFileSync(tasks('copied/inputs/.notes.md.Xy98Zw'), 'half');
	drop('other', good('other'));
	await untilStarted('other');
	renameSync(tasks('copied/inputs/.notes.md.Xy98Zw'), tasks('copied/inputs/notes.md'));
	await untilStarted('other', 'copied');
});

test('an invalid manifest is told once, and runs after it was corrected by an editor that saves by rename', async () => {
	begin();
	drop('a', 'task_id: a\ngoall: look\n');
	await untilStarted('a');
	writeFileSync(tasks('a/manifest.yaml~'), good('a'));
	renameSync(tasks('a/manifest.yaml~'), tasks('a/manifest.yaml'));
	await untilStarted('a', 'a');
	expect(started.map((one) => one.status)).toEqual(['invalid', 'pending']);
});

test('a manifest that is written in pieces is not judged by its first piece', async () => {
	begin();
	drop('a', 'task_id: a\n');
	drop('b', good('b'));
	await untilStarted('b');
	drop('a', good('a'));
	await untilStarted('b', 'a');
	expect(started.map((one) => one.status)).toEqual(['pending', 'pending']);
});

test('a packet whose dependency arrives after it waits instead of being refused', async () => {
	begin();
	drop('second', good('second', 'depends_on: first\n'));
	drop('first', good('first'));
	await untilStarted('first', 'second');
});

test('a packet that was told what is missing runs when that has arrived and is done', async () => {
	begin();
	drop('second', good('second', 'depends_on: first\n'));
	await untilStarted('second');
	// The pool reads what was said of the second one before the first one arrives.
	await new Promise(setImmediate);
	drop('first', good('first'));
	await untilStarted('second', 'first', 'second');
});

test('directories that are deleted and made again are watched again, the task directory too', async () => {
	begin();
	drop('a', good('a'));
	await untilStarted('a');
	rmSync(tasks('a'), { recursive: true });
	drop('a', good('a'));
	await untilStarted('a', 'a');
	rmSync(tasks(), { recursive: true });
	drop('b', good('b'));
	await untilStarted('a', 'a', 'b');
});

test('what ran already is not run again, nor what was interrupted', async () => {
	drop('done', good('done'));
	finish('done');
	drop('stopped', good('stopped'));
	finish('stopped');
	const line = JSON.stringify({ time: '2026-01-02T00:00:00.000Z', task_id: 'stopped', type: 'run_finished', status: 'interrupted' });
	writeFileSync(tasks('stopped/state/events.jsonl'), `${line}\n`);
	drop('new', good('new'));
	begin({ once: true });
	expect((await end!).ran).toEqual(['new']);
});

test('--once drains what is there, waits for what is not yet whole, and ends', async () => {
	drop('a', good('a'));
	drop('b', good('b', 'depends_on: a\n'));
	begin({ once: true });
	expect(await end).toEqual({ exitCode: 0, ran: ['a', 'b'], blocked: [] });
});
