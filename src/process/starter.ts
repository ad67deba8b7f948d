import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { rowOf } from './identity.ts';
import { isDead } from './process-stat.ts';
import { type ShellStart, shellName, type WaitingShell, wordTo } from './waiting-shell.ts';
import { wrapperScript } from './wrapper-script.ts';

/**
 * A small shell that starts the wrappers of a run for us, from the second on: node's own fork copies the tables of all the memory node
 * holds and waits for the exec, which takes longer than all other work of a short stage.
 *
 *   orders (shell commands on its stdin) ──▶ starter ──fork──▶ reporter ──setsid──▶ wrapper ◀── its word, on a lane
 *   reports (`<token> pid|exit <n>`)     ◀────────────────────────┘
 *
 * A lane is a pipe that the starter inherited from us, and that a wrapper has as its fd 4 until it ends. When we die, the orders end and so
 * does the starter; the lanes end, and who still waits for its word never begins; reporters go with their wrappers. Where it cannot help
 * (no `setsid`, all lanes taken, a command line that is too long, itself gone) a wrapper is started without it.
 */
export class Starter {
	#shell: ChildProcess | null = null;
	#isOver = false;
	#free: Lane[] = [];
	readonly #heard = new Map<string, Heard>();
	#rest = '';

	/** `env`: nothing in it reaches a servant. */
	constructor(private readonly env: Readonly<Record<string, string>>) {}

	get isLaid(): boolean {
		return this.#shell !== null && !this.#isOver;
	}

	/** Begins to help, if it does not yet. */
	lay(): void {
		if (this.#shell !== null || this.#isOver || setsid() === null) return;
		const shell = spawn('/bin/sh', ['-s'], {
			env: { ...this.env },
			detached: true,
			stdio: ['pipe', 'pipe', 'ignore', ...laneFds.map(() => 'pipe' as const)],
		});
		this.#shell = shell;
		shell.once('error', () => this.#over());
		shell.once('exit', () => this.#over());
		if (shell.pid === undefined) return;
		this.#free = laneFds.map((fd) => ({ fd, pipe: shell.stdio[fd] as Socket }));
		for (const pipe of shell.stdio) pipe?.on('error', () => undefined);
		shell.stdin?.write(`script=${quoted(wrapperScript)}\n`);
		shell.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
	}

	/** A wrapper's shell, waiting for its word; null if it must be started without us. */
	async begin(start: ShellStart): Promise<WaitingShell | null> {
		const orders = this.#shell?.stdin;
		if (!orders || this.#isOver || !isPlain(start)) return null;
		const lane = this.#free.pop();
		if (lane === undefined) return null;
		const order = orderOf(start, lane.fd, Object.keys(this.env));
		const exited = new Promise<{ code: number | null }>((settle) => {
			this.#heard.set(`${start.token} exit`, (code) => settle({ code }));
		}).finally(() => {
			this.#heard.delete(`${start.token} exit`);
			if (!this.#isOver) this.#free.push(lane);
		});
		const pid = await new Promise<number | null>((settle) => {
			this.#heard.set(`${start.token} pid`, settle);
			orders.write(order);
			setTimeout(settle, patienceMs, null).unref();
		});
		this.#heard.delete(`${start.token} pid`);
		if (pid === null) {
			// It may be late, or never have been: started without us now, it must not begin twice.
			lane.pipe.write(wordTo(start.token, 'no'));
			return null;
		}
		const row = rowOf(pid);
		// Before setsid it is in our starter's session, after it in its own: anybody else has got the number since.
		const startTime = row !== null && [pid, this.#shell?.pid].includes(row.sid ?? pid) ? row.startTime : null;
		return {
			pid,
			startTime,
			proceed: () => void lane.pipe.write(wordTo(start.token, 'go')),
			abandon: () => void lane.pipe.write(wordTo(start.token, 'no')),
			exited: Promise.race([exited, goneWithoutReport(pid, startTime, exited)]),
			unref: () => undefined,
		};
	}

	/** No more orders. Wrappers that run go on without us. */
	async end(): Promise<void> {
		const shell = this.#shell;
		this.#isOver = true;
		if (shell === null || shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return;
		const gone = new Promise((settle) => shell.once('exit', settle));
		shell.kill('SIGKILL');
		this.#over();
		await gone;
	}

	#hear(text: string): void {
		const lines = (this.#rest + text).split('\n');
		this.#rest = lines.pop() ?? '';
		for (const line of lines) {
			const [token, what, number] = line.split(' ');
			this.#heard.get(`${token} ${what}`)?.(Number(number));
		}
	}

	#over(): void {
		this.#isOver = true;
		this.#free = [];
		for (const pipe of this.#shell?.stdio ?? []) pipe?.destroy();
		for (const [what, tell] of this.#heard) if (what.endsWith(' pid')) tell(null);
	}
}

/** A wrapper whose reporter died is known by its being gone. */
function goneWithoutReport(pid: number, startTime: string | null, exited: Promise<unknown>): Promise<{ code: null }> {
	return new Promise((settle) => {
		const timer = setInterval(() => {
			const row = rowOf(pid);
			if (row === null || isDead(row) || row.startTime !== startTime) settle({ code: null });
		}, 1000).unref();
		void exited.then(() => clearInterval(timer));
	});
}

/** Its directory is gone, the system has no process left, or is very busy. */
const patienceMs = 5000;

type Heard = (number: number | null) => void;

interface Lane {
	readonly fd: number;
	readonly pipe: Socket;
}

/** All that a POSIX shell can name beside the three. */
const laneFds = [3, 4, 5, 6, 7, 8, 9];

/** More than that is the system's to refuse, and for us to hear. */
const longestOrder = 32 * 1024;

let program: string | null | undefined;

/** Not everywhere: then node forks. */
function setsid(): string | null {
	program ??= ['/usr/bin/setsid', '/bin/setsid'].find((file) => existsSync(file)) ?? null;
	return program;
}

/** What a shell can say as it is: names that it lets us set. */
const isPlain = ({ env, args }: ShellStart): boolean =>
	Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(UID|EUID|PPID|SHELLOPTS|BASH.*|IFS|_)$/.test(name)) &&
	[...Object.values(env), ...args].join(' ').length < longestOrder;

/** One command. Neither the starter's own variables nor what a `cd` exports are for the servant. */
function orderOf({ args, token, cwd, env }: ShellStart, lane: number, own: readonly string[]): string {
	const set = Object.entries(env)
		.map(([name, value]) => `${name}=${quoted(value)}`)
		.join(' ');
	const closed = laneFds.filter((fd) => fd > 4).map((fd) => `${fd}<&-`);
	const redirections = `4<&${lane} </dev/null >/dev/null 3>&- ${closed.join(' ')}`;
	return `( cd -- ${quoted(cwd)} || exit; unset ${['PWD', 'OLDPWD', ...own].join(' ')}
${set} ${setsid()} /bin/sh -c "$script" ${[shellName(token), ...args].map(quoted).join(' ')} ${redirections} & echo ${token} pid "$!"; wait "$!"; echo ${token} exit "$?" ) </dev/null &
`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
