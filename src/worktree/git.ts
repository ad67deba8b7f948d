import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fail, type Outcome, pass } from '../contract/outcome.ts';

export interface GitOptions {
	readonly input?: Buffer | string;
	readonly env?: Readonly<Record<string, string>>;
	/** Open file that takes the output instead of memory. */
	readonly toFd?: number;
}

/** More than this is no listing of a work tree but something gone wrong. */
const mostBytes = 512 * 1024 * 1024;

/** What a repository or a parent process may have configured, and we do not want to run or depend on. */
const always = [
	'--no-optional-locks',
	'-c',
	'core.fsmonitor=false',
	'-c',
	'core.quotepath=off',
	'-c',
	'core.hooksPath=/dev/null',
	'-c',
	'core.trustctime=true',
	'-c',
	'core.safecrlf=false',
	'-c',
	'advice.detachedHead=false',
];

/** Runs git in a directory: its output, or one readable line of why not. Hooks never run, prompts never appear. */
export function git(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Outcome<Buffer, string>> {
	const program = gitProgram();
	if (program === null) return Promise.resolve(fail(gitMissing));
	return new Promise((resolve) => {
		const child = spawn(program, [...always, ...args], {
			cwd: dir,
			env: { ...scrubbed(process.env), ...options.env },
			stdio: [options.input === undefined ? 'ignore' : 'pipe', options.toFd ?? 'pipe', 'pipe'],
		});
		const out: Buffer[] = [];
		let bytes = 0;
		let said = '';
		child.on('error', (error: NodeJS.ErrnoException) =>
			resolve(fail(error.code === 'ENOENT' ? `git could not be started in ${dir}: the directory is gone` : error.message)),
		);
		child.stdout?.on('data', (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > mostBytes) child.kill('SIGKILL');
			else out.push(chunk);
		});
		child.stderr?.on('data', (chunk: Buffer) => {
			if (said.length < 4000) said += chunk.toString('utf8');
		});
		// A git that ends before it has read everything says so by its exit.
		child.stdin?.on('error', () => {});
		child.stdin?.end(options.input);
		child.on('close', (code, signal) => {
			if (code === 0) resolve(pass(Buffer.concat(out)));
			else resolve(fail(complaint(args, said, bytes > mostBytes ? 'too much output' : (signal ?? `exit ${code}`))));
		});
	});
}

export const gitMissing = 'git was not found on PATH';

let found: { readonly path: string; readonly program: string | null } | undefined;

/** Sought once: to start a program by its bare name costs a try in each directory of PATH, each time. Null: it is nowhere. */
export function gitProgram(): string | null {
	const path = process.env.PATH ?? '/usr/bin:/bin';
	if (found?.path !== path) {
		const places = path.split(delimiter).filter((dir) => dir.startsWith('/'));
		found = { path, program: places.map((dir) => join(dir, 'git')).find(isExecutable) ?? null };
	}
	return found.program;
}

/** Where we may not look there is none for us; a shell goes on to the next directory too. */
function isExecutable(file: string): boolean {
	try {
		if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The same, as text without its last newline. */
export async function gitText(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Outcome<string, string>> {
	const done = await git(dir, args, options);
	return done.ok ? pass(done.value.toString('utf8').replace(/\n$/, '')) : done;
}

/** Splits `-z` output. */
export function records(output: Buffer): Buffer[] {
	const found: Buffer[] = [];
	let start = 0;
	for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
		found.push(output.subarray(start, end));
		start = end + 1;
	}
	return found;
}

/** A variable like GIT_DIR or GIT_INDEX_FILE of a parent (a hook, say) would point us at another repository. */
function scrubbed(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
	return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
}

/** With `--quiet` git answers a question by its exit alone; whatever else it says is no answer. */
export const isNo = (why: string): boolean => /^git [a-z-]*: exit 1$/.test(why);

function complaint(args: readonly string[], said: string, how: string): string {
	const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
	const telling = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0];
	return `git ${args.find((arg) => /^[a-z][a-z-]+$/.test(arg)) ?? ''}: ${telling?.replace(/^(?:fatal|error): /, '') ?? how}`;
}
