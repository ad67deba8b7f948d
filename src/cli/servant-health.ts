import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Servant, ServantCare } from '../contract/servant.ts';
import { findProgram } from '../process/find-program.ts';
import { runCommand } from '../process/run-command.ts';
import { servantEnv } from '../process/servant-env.ts';
import { placeProgram } from '../triage/place-program.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What can be seen of a servant without paying. */
export interface ServantHealth {
	readonly tool: string;
	readonly command: string;
	/** Where the program lies; null: it is not installed. */
	readonly path: string | null;
	readonly version: string | null;
	/** Whether its streams were measured with this version; null: unknown. */
	readonly known_version: boolean | null;
	readonly login: 'seen' | 'not_seen' | 'unknown';
	readonly usable: boolean;
	/** What mends what is missing: a command, where one is known. */
	readonly fix: readonly string[];
}

export function commandOf(servant: Servant, root: string): string {
	const nobody = { model: null, effort: null, access: 'read', maxSteps: 1, session: null, sessionId: '' } as const;
	const places = { workdir: root, promptFile: '', scratch: '' };
	return servant.invocation({ ...nobody, ...places, wrapper: { approvalMode: null, sandbox: false } }).command;
}

export async function healthOf(servant: Servant, root: string, env: Env): Promise<ServantHealth> {
	const { tool, care } = servant;
	const command = commandOf(servant, root);
	const path = findProgram(command, env.PATH, root);
	const login = loginOf(care, env);
	const isProjects = path !== null && command.includes('/') && liesBelow(root, path);
	const { version, known } = path !== null && !isProjects ? await versionOf(path, care, root, env) : { version: null, known: null };
	const install = path === null ? [care.install ?? placeProgram(tool, command)] : [];
	const fix = [...install, ...(login === 'not_seen' && care.login !== null ? [care.login] : [])];
	return { tool, command, path, version, known_version: known, login, usable: fix.length === 0, fix };
}

/** What a project brings along, and perhaps came with a clone: who only looks around runs none of it. */
function liesBelow(root: string, path: string): boolean {
	const way = relative(realpathSync(root), realpathSync(path));
	return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Only whether something is there; what is in it is nobody's business. macOS keeps logins in the keychain, where we do not look. */
function loginOf({ loginSigns }: ServantCare, env: Env): ServantHealth['login'] {
	const seen = loginSigns.some((sign) => {
		if ('variable' in sign) return Boolean(env[sign.variable]);
		const dir = env[sign.below ?? 'HOME'];
		return dir ? existsSync(join(dir, sign.file)) : false;
	});
	if (seen) return 'seen';
	return loginSigns.length === 0 || process.platform === 'darwin' ? 'unknown' : 'not_seen';
}

async function versionOf(path: string, { versionArgs, knownVersions }: ServantCare, root: string, env: Env) {
	const ran = await runCommand({
		command: [path, ...versionArgs].map(quoted).join(' '),
		cwd: root,
		// Without any key: to tell its version a program needs none.
		env: servantEnv({ from: env, names: [], set: {}, token: '', tmpdir: tmpdir() }),
		timeoutSec: 8,
		maxOutputBytes: 4096,
		graceMs: 500,
	});
	const version = ran.exitCode === 0 ? (/v?\d+\.\d+[\w.+-]*/.exec(ran.output)?.[0].replace(/\.+$/, '') ?? null) : null;
	const known = version === null || knownVersions.length === 0 ? null : knownVersions.some((prefix) => version.startsWith(prefix));
	return { version, known };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
