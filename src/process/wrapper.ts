import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { rowOf } from './identity.ts';
import { cancelRecord } from './record.ts';
import { wrapperScript } from './wrapper-script.ts';

export interface WrapperStart {
	/** Absolute, or found on the PATH of `env`. */
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	readonly token: string;
	readonly recordFile: string;
	/** What the servant reads on stdin; null = nothing. */
	readonly promptFile: string | null;
	/** These three must not exist yet. */
	readonly stdoutFile: string;
	readonly stderrFile: string;
	readonly wrapperErrFile: string;
	/** When the wrapper ends its group by itself: a backstop for a dispatcher that died, so the limit + 60. null = never. */
	readonly hardLimitSec: number | null;
}

export interface RunningWrapper {
	readonly pid: number;
	readonly startTime: string | null;
	/** Its shell waits for one of these two: the servant may run, or never will. Our death is the second. */
	readonly proceed: () => void;
	readonly abandon: () => void;
	readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
	/** Lets the dispatcher exit while the wrapper goes on. */
	readonly unref: () => void;
}

export interface SpawnFailure {
	readonly kind: 'workdir' | 'files' | 'spawn';
	readonly message: string;
	readonly code: string | null;
	/** Whether the record now proves that nothing was run. */
	readonly cancelled: boolean;
}

export async function startWrapper(start: WrapperStart): Promise<Outcome<RunningWrapper, SpawnFailure>> {
	const failed = (kind: SpawnFailure['kind'], error: unknown) => {
		const { code = null, message } = error as NodeJS.ErrnoException;
		return fail<SpawnFailure>({ kind, message, code, cancelled: cancelRecord(start.recordFile) === 'cancelled' });
	};
	const workdir = workdirProblem(start.cwd); // spawn would call it a missing program
	if (workdir) return failed('workdir', workdir);

	const fds: number[] = [];
	try {
		// A fresh descriptor per attempt: its offset is shared with the servant.
		fds.push(openSync(start.promptFile ?? '/dev/null', constants.O_RDONLY));
		for (const file of [start.stdoutFile, start.wrapperErrFile, start.stderrFile]) fds.push(openSync(file, forAppending, 0o600));
		return await spawned(() => spawnWrapper(start, fds), failed);
	} catch (error) {
		return failed('files', error);
	} finally {
		for (const fd of fds) closeSync(fd);
	}
}

const forAppending = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW;

function workdirProblem(cwd: string): unknown {
	try {
		if (!statSync(cwd).isDirectory()) return Object.assign(new Error(`not a directory: ${cwd}`), { code: 'ENOTDIR' });
		accessSync(cwd, constants.X_OK);
		return null;
	} catch (error) {
		return error;
	}
}

const spawnWrapper = (start: WrapperStart, fds: number[]): ChildProcess =>
	spawn(
		'/bin/sh',
		[
			'-c',
			wrapperScript,
			`dispatch-${start.token}`,
			resolve(start.recordFile),
			start.hardLimitSec === null ? '' : String(Math.max(1, Math.ceil(start.hardLimitSec))),
			process.umask().toString(8),
			start.command,
			...start.args,
		],
		{ cwd: start.cwd, env: { ...start.env, DISPATCH_ATTEMPT: start.token }, detached: true, stdio: [...fds, 'pipe'] },
	);

/** Some spawn errors are thrown (an argument too long), others emitted (no more processes). */
async function spawned<F>(
	begin: () => ChildProcess,
	failed: (kind: 'spawn', error: unknown) => F,
): Promise<{ readonly ok: true; readonly value: RunningWrapper } | F> {
	let child: ChildProcess;
	try {
		child = begin();
	} catch (error) {
		return failed('spawn', error);
	}
	const { pid } = child;
	if (pid === undefined) return failed('spawn', await new Promise((settle) => child.once('error', settle)));
	const word = child.stdio[4] as Socket;
	// A wrapper that is gone already is known by its exit.
	word.on('error', () => undefined);
	const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((settle) => {
		child.once('exit', (code, signal) => settle({ code, signal }));
	});
	// It cannot be reaped before we return to the event loop, so the number is certainly still its own.
	return pass({
		pid,
		startTime: rowOf(pid)?.startTime ?? null,
		proceed: () => void word.end('go\n'),
		abandon: () => void word.destroy(),
		exited,
		unref: () => child.unref(),
	});
}
