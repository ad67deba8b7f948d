import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { rowOf } from './identity.ts';
import { wrapperScript } from './wrapper-script.ts';

/** A wrapper's shell, in a session of its own. It waits for a word on a pipe; when we die the pipe ends, and so does the shell. */
export interface WaitingShell {
	readonly pid: number;
	readonly startTime: string | null;
	/** Its servant may run. */
	readonly proceed: () => void;
	/** Its servant never will. */
	readonly abandon: () => void;
	/** The code is null if it is not known. */
	readonly exited: Promise<{ readonly code: number | null }>;
	/** Lets the dispatcher exit while it goes on. */
	readonly unref: () => void;
}

export interface ShellStart {
	/** Of the wrapper's script. */
	readonly args: readonly string[];
	readonly token: string;
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
}

/** What a wrapper is told. It listens for its own name. */
export const wordTo = (token: string, word: 'go' | 'no'): string => `${word} ${shellName(token)}\n`;

export const shellName = (token: string): string => `dispatch-${token}`;

/** As a child of ours, with these as its first four descriptors; the fifth is the pipe. Some spawn errors are thrown (an argument too long), others emitted (no more processes). */
export async function spawnWaiting(start: ShellStart, fds: readonly number[]): Promise<Outcome<WaitingShell, unknown>> {
	let child: ChildProcess;
	try {
		child = spawn('/bin/sh', ['-c', wrapperScript, shellName(start.token), ...start.args], {
			cwd: start.cwd,
			env: { ...start.env },
			detached: true,
			stdio: [...fds, 'pipe'],
		});
	} catch (error) {
		return fail(error);
	}
	const { pid } = child;
	if (pid === undefined) return fail(await new Promise((settle) => child.once('error', settle)));
	const pipe = child.stdio[4] as Socket;
	// A wrapper that is gone already is known by its exit.
	pipe.on('error', () => undefined);
	const exited = new Promise<{ code: number | null }>((settle) => {
		child.once('exit', (code) => settle({ code }));
	});
	// It cannot be reaped before we return to the event loop, so the number is certainly still its own.
	return pass({
		pid,
		startTime: rowOf(pid)?.startTime ?? null,
		proceed: () => void pipe.end(wordTo(start.token, 'go')),
		abandon: () => void pipe.destroy(),
		exited,
		unref: () => child.unref(),
	});
}
