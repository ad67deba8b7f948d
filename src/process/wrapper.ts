import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { cancelRecord } from './record.ts';
import { type ShellStart, spawnWaiting, type WaitingShell } from './waiting-shell.ts';

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

export interface SpawnFailure {
	readonly kind: 'workdir' | 'files' | 'spawn';
	readonly message: string;
	readonly code: string | null;
	/** Whether the record now proves that nothing was run. */
	readonly cancelled: boolean;
}

/** Its shell waits for its word. `ahead`: a shell that was begun like `shellStart` says, and waits already; null if it could not be. */
export async function startWrapper(
	start: WrapperStart,
	ahead: Promise<WaitingShell | null> | null = null,
): Promise<Outcome<WaitingShell, SpawnFailure>> {
	const failed = (kind: SpawnFailure['kind'], error: unknown) => {
		const { code = null, message } = error as NodeJS.ErrnoException;
		void ahead?.then((shell) => shell?.abandon());
		return fail<SpawnFailure>({ kind, message, code, cancelled: cancelRecord(start.recordFile) === 'cancelled' });
	};
	const workdir = workdirProblem(start.cwd); // spawn would call it a missing program
	if (workdir) return failed('workdir', workdir);

	const fds: number[] = [];
	try {
		// A fresh descriptor per attempt: its offset is shared with the servant.
		const [input, ...outputs] = filesOf(start);
		fds.push(openSync(input!, constants.O_RDONLY));
		for (const file of outputs) fds.push(openSync(file, forAppending, 0o600));
		const begun = await ahead;
		if (begun) return pass(begun);
		const spawned = await spawnWaiting({ ...shellStart(start), args: wrapperArgs(start, ['', '', '', '']) }, fds);
		return spawned.ok ? spawned : failed('spawn', spawned.failures[0]);
	} catch (error) {
		return failed('files', error);
	} finally {
		for (const fd of fds) closeSync(fd);
	}
}

/** For a shell that opens its files itself, when it has its word and they are there. */
export const shellStart = (start: WrapperStart): ShellStart => ({
	args: wrapperArgs(start, filesOf(start)),
	token: start.token,
	cwd: start.cwd,
	env: { ...start.env, DISPATCH_ATTEMPT: start.token },
});

const filesOf = (start: WrapperStart): string[] =>
	[start.promptFile ?? '/dev/null', start.stdoutFile, start.wrapperErrFile, start.stderrFile].map((file) => resolve(file));

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

const wrapperArgs = (start: WrapperStart, files: readonly string[]): string[] => [
	resolve(start.recordFile),
	start.hardLimitSec === null ? '' : String(Math.max(1, Math.ceil(start.hardLimitSec))),
	process.umask().toString(8),
	...files,
	start.command,
	...start.args,
];
