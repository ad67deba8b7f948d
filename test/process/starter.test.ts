import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { rowOf } from '../../src/process/identity.ts';
import { readRecord } from '../../src/process/record.ts';
import { Starter } from '../../src/process/starter.ts';
import type { WaitingShell } from '../../src/process/waiting-shell.ts';
import { shellStart, startWrapper, type WrapperStart } from '../../src/process/wrapper.ts';
import { isRunning, until, Zoo } from './zoo.ts';

const starters: Starter[] = [];
afterEach(async () => void (await Promise.all(starters.splice(0).map((starter) => starter.end()))));

/** Everything it starts carries a mark, so that what it leaves behind can be found. */
function laid(zoo: Zoo): Starter {
	const starter = new Starter({ ZOO_MARK: zoo.token });
	starters.push(starter);
	starter.lay();
	return starter;
}

/** A wrapper with a token and files of its own. */
async function whatToStart(zoo: Zoo, name: string, command: string, more: Partial<WrapperStart> = {}): Promise<WrapperStart> {
	const dir = zoo.path(name);
	await mkdir(dir, { recursive: true });
	const own = { recordFile: 'record', stdoutFile: 'out', stderrFile: 'err', wrapperErrFile: 'own' };
	const files = Object.fromEntries(Object.entries(own).map(([key, file]) => [key, join(dir, file)]));
	return zoo.whatToStart(command, { token: `${zoo.token}${name}`, ...files, ...more });
}

async function waiting(starter: Starter | null, start: WrapperStart): Promise<WaitingShell> {
	const begun = starter === null ? null : starter.begin(shellStart(start));
	const started = await startWrapper(start, begun);
	if (!started.ok) throw new Error(started.failures[0].message);
	return started.value;
}

const marked = (zoo: Zoo): number[] =>
	readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => {
			try {
				return isRunning(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`ZOO_MARK=${zoo.token}`);
			} catch {
				return false;
			}
		});

test('a wrapper begun by the starter is like one of our own: session, record, streams, arguments, environment, open files', async () => {
	await using zoo = await Zoo.create();
	const cwd = zoo.path('a \'quoted\'\n"dir" $HOME');
	await mkdir(cwd);
	await writeFile(zoo.path('prompt'), 'the prompt\n');
	const animal = await zoo.animal(
		'animal',
		'cat; pwd; for a do printf "<%s>" "$a"; done; echo err >&2; env | sort >"$ZOO/env.$NAME"; umask; ls /proc/self/fd; exit 3',
	);
	const args = ['a b', "'", '"', '$HOME', '`id`', 'line\nline', '', '-n', '*', '\\', 'ü'];
	const seen: string[][] = [];
	const starter = laid(zoo);
	for (const [name, by] of [
		['mine', null],
		['his', starter],
	] as const) {
		const env = { PATH: process.env.PATH ?? '', HOME: '/home/o\'neill "x"', NAME: name, KEY: 'a\nb $c', TMPDIR: '/tmp' };
		const start = await whatToStart(zoo, name, animal, { cwd, args, env, promptFile: zoo.path('prompt') });
		const shell = await waiting(by, start);
		await until(() => rowOf(shell.pid)?.sid === shell.pid, 'a session of its own');
		expect(rowOf(shell.pid)).toMatchObject({ pgid: shell.pid, startTime: shell.startTime });
		expect(existsSync(start.recordFile)).toBe(false);
		shell.proceed();
		expect(await shell.exited).toEqual({ code: 3 });
		expect(readRecord(start.recordFile)).toMatchObject({ state: 'exited', pid: shell.pid, startTime: shell.startTime, exitCode: 3 });
		const texts = [start.stdoutFile, start.stderrFile, start.wrapperErrFile, zoo.path(`env.${name}`)].map((file) => readFile(file, 'utf8'));
		seen.push((await Promise.all(texts)).map((text) => text.replaceAll(name, 'NAME')));
		expect(isRunning(shell.pid)).toBe(false);
	}
	expect(seen[1]).toEqual(seen[0]);
	expect(seen[1]![0]).toContain('the prompt\n');
	expect(seen[1]![3]).not.toContain('ZOO_MARK');
});

test('who is told no, and who is told nothing because we are gone, never begins', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const animal = await zoo.animal('animal', 'echo "$1" >>"$ZOO/ran"');
	const told = await whatToStart(zoo, 'told', animal, { args: ['told'] });
	const orphan = await whatToStart(zoo, 'orphan', animal, { args: ['orphan'] });
	const [one, other] = [await waiting(starter, told), await waiting(starter, orphan)];
	one.abandon();
	expect(await one.exited).toEqual({ code: 125 });
	await starter.end();
	await until(() => zoo.carriers.length === 0 && marked(zoo).length === 0, 'all to be gone');
	expect(isRunning(other.pid)).toBe(false);
	expect([told, orphan].map((start) => existsSync(start.recordFile))).toEqual([false, false]);
	expect(existsSync(zoo.path('ran'))).toBe(false);
});

test('a word that its wrapper did not live to read starts no other', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const animal = await zoo.animal('animal', 'echo "$1" >>"$ZOO/ran"');
	const dead = await waiting(starter, await whatToStart(zoo, 'dead', animal, { args: ['dead'] }));
	await until(() => rowOf(dead.pid)?.sid === dead.pid, 'a session of its own');
	process.kill(-dead.pid, 'SIGSTOP');
	dead.proceed();
	process.kill(-dead.pid, 'SIGKILL');
	await dead.exited;
	// The same pipe: the one that was free last.
	const start = await whatToStart(zoo, 'next', animal, { args: ['next'] });
	const next = await waiting(starter, start);
	const last = await waiting(starter, await whatToStart(zoo, 'last', animal, { args: ['last'] }));
	last.proceed();
	await last.exited;
	expect(existsSync(start.recordFile)).toBe(false);
	expect(await zoo.read('ran')).toBe('last\n');
	next.proceed();
	expect(await next.exited).toEqual({ code: 0 });
	expect(await zoo.read('ran')).toBe('last\nnext\n');
});

test('it begins as many as it has pipes, and again when one has ended; who comes in between is started without it', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const begun: (WaitingShell | null)[] = [];
	for (let n = 0; n < 8; n++) begun.push(await starter.begin(shellStart(await whatToStart(zoo, `n${n}`, '/bin/true'))));
	expect(begun.map((shell) => shell !== null)).toEqual([true, true, true, true, true, true, true, false]);
	begun[3]!.abandon();
	await begun[3]!.exited;
	expect(await starter.begin(shellStart(await whatToStart(zoo, 'again', '/bin/true')))).not.toBeNull();
	const own = await waiting(starter, await whatToStart(zoo, 'own', '/bin/true'));
	own.proceed();
	expect(await own.exited).toEqual({ code: 0 });
});

test.each([
	['not laid', (zoo: Zoo) => new Starter({ ZOO_MARK: zoo.token }), {}],
	['a long command line', laid, { args: ['x'.repeat(100_000)] }],
	['a variable that a shell cannot set', laid, { env: { PATH: '/usr/bin:/bin', 'NOT-A-NAME': 'x' } }],
	['a variable that bash does not let be set', laid, { env: { PATH: '/usr/bin:/bin', UID: '7' } }],
] as const)('it leaves to node what it cannot do: %s', async (_, made, more) => {
	await using zoo = await Zoo.create();
	const start = await whatToStart(zoo, 'x', '/bin/true', more);
	expect(await made(zoo).begin(shellStart(start))).toBeNull();
});

test('when the starter is killed its wrappers go on, and who needs another one gets it without it', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const animal = await zoo.animal('animal', 'until [ -e "$ZOO/go" ]; do sleep 0.02; done; exit 4');
	const start = await whatToStart(zoo, 'works', animal);
	const works = await waiting(starter, start);
	works.proceed();
	await until(() => existsSync(start.recordFile), 'its claim');
	const [pid] = marked(zoo).filter((one) => rowOf(one)?.ppid === process.pid);
	process.kill(pid!, 'SIGKILL');
	await until(() => !starter.isLaid, 'it is noticed');
	const next = await waiting(starter, await whatToStart(zoo, 'next', '/bin/true'));
	next.proceed();
	expect(await next.exited).toEqual({ code: 0 });
	await zoo.animal('go', '');
	// Nobody reports it any more; that it is gone is seen.
	expect(await works.exited).toEqual({ code: null });
	expect(readRecord(start.recordFile)).toMatchObject({ state: 'exited', exitCode: 4 });
});

test('an order that the starter did not live to carry out is carried out without it', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const [pid] = marked(zoo);
	process.kill(pid!, 'SIGSTOP');
	const start = await whatToStart(zoo, 'x', '/bin/true');
	// Not by its patience, which is longer.
	vi.useFakeTimers({ toFake: ['setTimeout'] });
	const begun = starter.begin(shellStart(start));
	vi.useRealTimers();
	process.kill(pid!, 'SIGKILL');
	const started = await startWrapper(start, begun);
	if (!started.ok) throw new Error(started.failures[0].message);
	started.value.proceed();
	expect(await started.value.exited).toEqual({ code: 0 });
	expect(readRecord(start.recordFile)).toMatchObject({ state: 'exited', exitCode: 0 });
});

test('a directory that is gone by then is told by whoever starts it without the starter, and the wait for it is not for ever', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const start = await whatToStart(zoo, 'x', '/bin/true', { cwd: zoo.path('gone') });
	vi.useFakeTimers({ toFake: ['setTimeout'] });
	const begun = starter.begin(shellStart(start));
	vi.advanceTimersByTime(5000);
	vi.useRealTimers();
	expect(await begun).toBeNull();
	expect(await startWrapper(start, begun)).toMatchObject({ ok: false, failures: [{ kind: 'workdir', cancelled: true }] });
});

test('a wrapper that waits for files that cannot be made is told no', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const start = await whatToStart(zoo, 'x', '/bin/true');
	const shell = await starter.begin(shellStart(start));
	await writeFile(start.stdoutFile, 'paid for');
	expect(await startWrapper(start, Promise.resolve(shell))).toMatchObject({ ok: false, failures: [{ kind: 'files', cancelled: true }] });
	expect(await shell!.exited).toEqual({ code: 125 });
	expect(readRecord(start.recordFile).state).toBe('cancelled');
});

test('a wrapper whose reporter was killed is known by its end', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const animal = await zoo.animal('animal', 'echo $$ >"$ZOO/pid"; until [ -e "$ZOO/go" ]; do sleep 0.02; done');
	const works = await waiting(starter, await whatToStart(zoo, 'works', animal));
	works.proceed();
	await zoo.pid('pid');
	process.kill(rowOf(works.pid)!.ppid, 'SIGKILL');
	await zoo.animal('go', '');
	expect(await works.exited).toEqual({ code: null });
});

test('it ends though somebody has stopped it', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const [pid] = marked(zoo);
	process.kill(pid!, 'SIGSTOP');
	await starter.end();
	expect(marked(zoo)).toEqual([]);
});

test('when it ends nothing of it stays, and what it started goes on', async () => {
	await using zoo = await Zoo.create();
	const starter = laid(zoo);
	const animal = await zoo.animal('animal', 'echo $$ >"$ZOO/pid"; until [ -e "$ZOO/go" ]; do sleep 0.02; done; exit 5');
	const start = await whatToStart(zoo, 'works', animal);
	(await waiting(starter, start)).proceed();
	const pid = await zoo.pid('pid');
	await starter.end();
	expect(isRunning(pid)).toBe(true);
	expect(marked(zoo).filter((one) => rowOf(one)?.ppid === process.pid)).toEqual([]);
	await zoo.animal('go', '');
	await until(() => zoo.carriers.length === 0 && marked(zoo).length === 0, 'its reporter to go with it');
	expect(readRecord(start.recordFile)).toMatchObject({ state: 'exited', exitCode: 5 });
});
