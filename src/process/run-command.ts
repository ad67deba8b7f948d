import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { BoundedOutput } from './bounded-output.ts';
import { endAttempt } from './end-attempt.ts';
import { rowOf } from './identity.ts';
import { openPipe } from './open-pipe.ts';
import { pause } from './pause.ts';
import { watchDescendants } from './watch-descendants.ts';

export interface Command {
	/** For `sh -c`. */
	readonly command: string;
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSec: number;
	/** Of the output that is kept; more is read and dropped, head and tail stay. */
	readonly maxOutputBytes: number;
	/** What becomes of the output before it is cut: half a secret is not recognised as one. */
	readonly redact?: (text: string) => string;
	/** Ends the command gently … */
	readonly signal?: AbortSignal;
	/** … or at once. */
	readonly immediately?: AbortSignal;
	readonly graceMs?: number;
}

export interface CommandResult {
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly timedOut: boolean;
	readonly aborted: boolean;
	/** Why it could not be started; null = it was. */
	readonly startFailure: string | null;
	/** stdout and stderr as they came. */
	readonly output: string;
	readonly outputTruncated: boolean;
	readonly durationSec: number;
	/** Processes that could not be ended. */
	readonly survivors: readonly number[];
}

/** Longer than any secret. */
const marginBytes = 64 * 1024;

/** Runs a command in a session of its own, and leaves nothing of it running: not on success, not on timeout, not when aborted. */
export async function runCommand(command: Command): Promise<CommandResult> {
	const began = performance.now();
	const token = randomBytes(12).toString('hex');
	const output = new BoundedOutput(command.maxOutputBytes, command.redact === undefined ? 0 : marginBytes);
	const started = await start(command, token);
	const result = { exitCode: null, signal: null, timedOut: false, aborted: false, startFailure: null, survivors: [] };
	const seconds = () => (performance.now() - began) / 1000;
	if ('failure' in started) {
		return { ...result, startFailure: started.failure, output: '', outputTruncated: false, durationSec: seconds() };
	}

	started.pipe.on('data', (chunk: Buffer) => output.add(chunk));
	const remembered = watchDescendants({ token, root: { pid: started.pid, startTime: rowOf(started.pid)?.startTime ?? null } });
	const why = await firstOf(started.exited, command);
	const durationSec = seconds();
	// Also after a good end: what a command leaves in the background would go on writing into the work tree.
	const graceMs = why === 'exited' ? 1000 : (command.graceMs ?? 10_000);
	const { survivors } = await endAttempt({ remembered, graceMs, immediately: command.immediately });
	remembered.stop();
	const { code, signal } = await started.exited;
	await Promise.race([started.closed, pause(250)]); // a survivor may hold the pipe open for as long as it likes
	started.pipe.destroy();
	return {
		...result,
		exitCode: code,
		signal,
		timedOut: why === 'timeout',
		aborted: why === 'aborted',
		output: output.shown(command.redact),
		outputTruncated: output.truncated,
		durationSec,
		survivors,
	};
}

interface Started {
	readonly pid: number;
	readonly pipe: Socket;
	readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
	readonly closed: Promise<void>;
}

async function start({ command, cwd, env }: Command, token: string): Promise<Started | { readonly failure: string }> {
	let fds: ReturnType<typeof openPipe> | undefined;
	let pipe: Socket | undefined;
	try {
		fds = openPipe();
		pipe = new Socket({ fd: fds.readFd, readable: true, writable: false });
		pipe.on('error', () => undefined); // `close` follows
		const stdio: ['ignore', number, number] = ['ignore', fds.writeFd, fds.writeFd];
		const child = spawn('/bin/sh', ['-c', command], { cwd, env: { ...env, DISPATCH_ATTEMPT: token }, detached: true, stdio });
		const pid = await pidOf(child);
		return {
			pid,
			pipe,
			exited: new Promise((settle) => child.once('exit', (code, signal) => settle({ code, signal }))),
			closed: new Promise((settle) => pipe?.once('close', () => settle())),
		};
	} catch (error) {
		pipe?.destroy();
		return { failure: (error as Error).message };
	} finally {
		if (fds) closeSync(fds.writeFd);
	}
}

function pidOf(child: ChildProcess): number | Promise<never> {
	return child.pid ?? new Promise((_, reject) => child.once('error', reject));
}

async function firstOf(exited: Promise<unknown>, { timeoutSec, signal, immediately }: Command): Promise<'exited' | 'timeout' | 'aborted'> {
	const waiting = new AbortController();
	const aborted = AbortSignal.any([signal, immediately].filter((each) => each !== undefined));
	try {
		return await Promise.race([
			exited.then(() => 'exited' as const),
			pause(timeoutSec * 1000, AbortSignal.any([waiting.signal, aborted])).then(() => (aborted.aborted ? 'aborted' : 'timeout')),
		]);
	} finally {
		waiting.abort();
	}
}
