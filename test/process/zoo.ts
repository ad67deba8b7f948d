import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordState, readRecord } from '../../src/process/record.ts';
import type { WaitingShell } from '../../src/process/waiting-shell.ts';
import { startWrapper, type WrapperStart } from '../../src/process/wrapper.ts';

/** A temporary folder with real programs that misbehave. What it looks up, it reads from /proc by itself: the code under test is no witness. */
export class Zoo implements AsyncDisposable {
	readonly token = randomBytes(8).toString('hex');
	private constructor(readonly dir: string) {}

	static async create(): Promise<Zoo> {
		return new Zoo(await mkdtemp(join(tmpdir(), 'dispatch-zoo-')));
	}

	path(name: string): string {
		return join(this.dir, name);
	}

	/** A real executable; `$ZOO` is the folder. */
	async animal(name: string, body: string): Promise<string> {
		const file = this.path(name);
		await writeFile(file, `#!/bin/sh\nZOO='${this.dir}'\n${body}\n`);
		await chmod(file, 0o755);
		return file;
	}

	whatToStart(command: string, more: Partial<WrapperStart> = {}): WrapperStart {
		return {
			command,
			args: [],
			env: { PATH: process.env.PATH ?? '' },
			cwd: this.dir,
			token: this.token,
			recordFile: this.path('record'),
			promptFile: null,
			stdoutFile: this.path('stream'),
			stderrFile: this.path('err'),
			wrapperErrFile: this.path('wrapper.err'),
			hardLimitSec: 60,
			...more,
		};
	}

	/** Starts an animal of this body under a wrapper. */
	async start(body: string, more: Partial<WrapperStart> = {}): Promise<WaitingShell> {
		const started = await startWrapper(this.whatToStart(await this.animal('animal', body), more));
		if (!started.ok) throw new Error(started.failures[0].message);
		started.value.proceed();
		return started.value;
	}

	get record(): RecordState {
		return readRecord(this.path('record'));
	}

	read(name: string): Promise<string> {
		return readFile(this.path(name), 'utf8');
	}

	/** Waits for a file that an animal writes whole (`echo … >x.tmp; mv x.tmp x`, or just one short line). */
	async pid(name: string): Promise<number> {
		await until(() => existsSync(this.path(name)) && readFileSync(this.path(name), 'utf8').endsWith('\n'), name);
		return Number(await this.read(name));
	}

	/** Numbers of all living processes that carry our token. */
	get carriers(): number[] {
		return carriers(this.token);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const pid of this.carriers) process.kill(pid, 'SIGKILL');
		await rm(this.dir, { recursive: true, force: true });
	}
}

function carriers(token: string): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => isRunning(pid) && readOr(`/proc/${pid}/environ`, '').includes(`DISPATCH_ATTEMPT=${token}`));
}

/** A zombie is not running, though it still answers signal 0. */
export function isRunning(pid: number): boolean {
	const state = readOr(`/proc/${pid}/stat`, ') X').split(') ').at(-1)?.[0];
	return state !== 'Z' && state !== 'X';
}

/** Looks again and again until it holds. */
export async function until(holds: () => boolean, what: string, mostMs = 10_000): Promise<void> {
	for (const deadline = Date.now() + mostMs; !holds(); ) {
		if (Date.now() > deadline) throw new Error(`waited in vain for: ${what}`);
		await new Promise((settle) => setTimeout(settle, 5));
	}
}

function readOr(file: string, otherwise: string): string {
	try {
		return readFileSync(file, 'latin1');
	} catch {
		return otherwise;
	}
}
