import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../contract/manifest.ts';
import { ensureDir, remove, writeWhole } from '../packet/disk.ts';
import { worktreeDir } from '../packet/names.ts';
import { runCommand } from '../process/run-command.ts';
import { blanking } from '../prompt/redact.ts';
import { commandEnv } from '../run/acceptance.ts';
import type { Halt } from '../run/halt.ts';

export interface SetUpAsk {
	readonly root: string;
	/** The packet the worktree is named after. */
	readonly owner: string;
	/** Where the commands run. */
	readonly dir: string;
	readonly manifest: Manifest;
	readonly setup: readonly string[];
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly halt: Halt;
	/** Told each command before it runs: an installation may take minutes. */
	readonly tell?: (command: string) => void;
}

const limitSec = 1800;

/** Prepares a new worktree: null, or why it is not prepared and by which command. Nothing runs in it before this is done. */
export async function setUp({
	root,
	owner,
	dir,
	manifest,
	setup,
	env,
	halt,
	tell,
}: SetUpAsk): Promise<{ problem: string; command: string } | null> {
	const redact = blanking(manifest.security?.redaction_patterns);
	for (const command of setup) {
		tell?.(command);
		const done = await runCommand({
			command,
			cwd: dir,
			env: commandEnv(env),
			timeoutSec: limitSec,
			maxOutputBytes: 64 * 1024,
			redact,
			signal: AbortSignal.any([halt.gently, halt.leave]),
			immediately: halt.atOnce,
		});
		if (done.aborted) return { problem: `interrupted while worktree_setup ran: ${command}`, command };
		if (done.startFailure === null && done.exitCode === 0) continue;
		const how =
			done.startFailure ?? (done.timedOut ? `took longer than ${limitSec} s` : `ended with ${done.signal ?? `exit ${done.exitCode}`}`);
		const said = done.output.trimEnd().split('\n').slice(-10).join('\n');
		return { problem: `worktree_setup: ${command} ${how}${said === '' ? '' : `\n${said}`}`, command };
	}
	ensureDir(dirname(readyFile(root, owner)));
	writeWhole(readyFile(root, owner), '');
	return null;
}

/** Beside the worktrees, under a name that no packet can have. */
const readyFile = (root: string, owner: string): string => worktreeDir(root, join('.ready', owner));

export const isSetUp = (root: string, owner: string): boolean => existsSync(readyFile(root, owner));

/** The worktree is gone, and what prepared it with it. */
export const forgetReady = (root: string, owner: string): void => remove(readyFile(root, owner));
