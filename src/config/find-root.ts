import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, type Outcome, pass } from '../contract/outcome.ts';

/**
 * The project's root: `-C`, else the nearest parent that holds packets or configuration, else git's top level, else where we are. A packet's
 * worktree is part of its project, although it holds a copy of the configuration.
 */
export function findRoot(cwd: string, dashC?: string): Outcome<string, string> {
	if (dashC !== undefined) return chosenRoot(resolve(cwd, dashC), dashC);
	const here = resolve(cwd);
	const holds = (...names: string[]) => nearest(here, (dir) => names.some((name) => existsSync(join(dir, name))));
	const root = holds('.tmp/task', 'configs/dispatch.yaml') ?? holds('.git') ?? here;
	return pass(projectOfWorktree(root) ?? root);
}

const worktrees = `${sep}.tmp${sep}worktree${sep}`;

/** Null for what is no worktree of a packet: what has packets of its own, or lies in a `.tmp` within one, as a demonstration does. */
function projectOfWorktree(dir: string): string | null {
	const at = dir.lastIndexOf(worktrees);
	if (
		at === -1 ||
		dir
			.slice(at + worktrees.length)
			.split(sep)
			.includes('.tmp')
	)
		return null;
	const project = dir.slice(0, at);
	return existsSync(join(project, '.tmp/task')) && !existsSync(join(dir, '.tmp/task')) ? project : null;
}

/** A misspelt root must not pass for an empty project. */
function chosenRoot(root: string, typed: string): Outcome<string, string> {
	// With the slash only a directory is there.
	return existsSync(`${root}/`) ? pass(root) : fail(`there is no directory "${typed}"`);
}

/** Where the package lies, be it run from its sources or from its bundle. */
export function packageDir(): string {
	const here = dirname(realpathSync(fileURLToPath(import.meta.url)));
	return nearest(here, (dir) => existsSync(join(dir, 'configs/servant')) && existsSync(join(dir, 'package.json'))) ?? here;
}

/** The user's own layer of configuration; null where nobody is at home. */
export function userDir(env: Readonly<Record<string, string | undefined>>): string | null {
	if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'dispatch');
	return env.HOME ? join(env.HOME, '.config', 'dispatch') : null;
}

function nearest(start: string, fits: (dir: string) => boolean): string | undefined {
	for (let dir = start; ; dir = dirname(dir)) {
		if (fits(dir)) return dir;
		if (dir === dirname(dir)) return undefined;
	}
}
