import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { DispatchEvent } from '../src/contract/event.ts';
import type { Meta } from '../src/contract/meta.ts';
import type { LastFailure, Stats } from '../src/contract/state-files.ts';
import { projectDir } from './project-dir.ts';

/** The built binary, or another one to be tested (an installed package). */
const binary = process.env.DISPATCH_BINARY ?? join(projectDir, 'dist/bin.js');

export interface Ran {
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface Started {
	readonly child: ChildProcess;
	readonly pid: number;
	readonly ended: Promise<Ran>;
}

/** A temporary git repository with fake agent CLIs, driven through the real binary. Removed afterwards. */
export class Rig implements AsyncDisposable {
	readonly #children = new Set<ChildProcess>();

	private constructor(
		readonly base: string,
		/** The repository. */
		readonly root: string,
		readonly env: Record<string, string>,
	) {}

	static async create({ git = true }: { git?: boolean } = {}): Promise<Rig> {
		const base = await realpath(await mkdtemp(join(tmpdir(), 'dispatch-rig-')));
		const root = join(base, 'repo');
		for (const dir of ['repo', 'bin', 'home', 'seen']) await mkdir(join(base, dir));
		const env = {
			PATH: `${join(base, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
			HOME: join(base, 'home'),
			SEEN: join(base, 'seen'),
			LANG: 'C.UTF-8',
			TERM: 'dumb',
		};
		const rig = new Rig(base, root, env);
		if (git) {
			await rig.write('.gitignore', '.tmp/\n');
			await rig.write('src/a.txt', 'one\n');
			await rig.sh(
				'git init -q -b main . && git config user.name Tester && git config user.email tester@example.invalid && git add -A && git commit -q -m start',
			);
		}
		return rig;
	}

	/** A real executable on PATH. The script finds its prompt on stdin; `$SEEN` is a directory the test can look into. */
	async servant(name: string, script: string): Promise<void> {
		const file = join(this.base, 'bin', name);
		await writeFile(file, script.startsWith('#!') ? script : `#!/bin/sh\nSEEN='${join(this.base, 'seen')}'\n${script}\n`);
		await chmod(file, 0o755);
	}

	/** A text servant `name`, described by YAML, that runs this script and prints its answer. */
	async textServant(name: string, script: string, more: object = {}): Promise<void> {
		await this.servant(`${name}-cli`, script);
		await this.write(
			`configs/servant/${name}.yaml`,
			stringify({ command: `${name}-cli`, args: [], prompt: 'stdin', output: 'text', ...more }),
		);
	}

	async packet(id: string, manifest: object = {}, inputs: Record<string, string> = {}): Promise<void> {
		const whole = { task_id: id, goal: `Goal of ${id}`, ...manifest };
		await this.write(`.tmp/task/${id}/manifest.yaml`, stringify(whole));
		for (const [name, text] of Object.entries(inputs)) await this.write(`.tmp/task/${id}/inputs/${name}`, text);
	}

	async write(path: string, text: string | Uint8Array): Promise<void> {
		const file = join(this.root, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}

	read(path: string): Promise<string> {
		return readFile(join(this.root, path), 'utf8');
	}

	async json<T>(path: string): Promise<T> {
		return JSON.parse(await this.read(path)) as T;
	}

	has(path: string): boolean {
		return existsSync(join(this.root, path));
	}

	summary(id: string): Promise<string> {
		return this.read(`.tmp/task/${id}/outputs/_summary.md`);
	}

	meta(id: string, stage: string, tool: string): Promise<Meta> {
		return this.json(`.tmp/task/${id}/outputs/${stage}.${tool}.meta.json`);
	}

	lastFailure(id: string): Promise<LastFailure> {
		return this.json(`.tmp/task/${id}/state/last_failure.json`);
	}

	stats(id: string): Promise<Stats> {
		return this.json(`.tmp/task/${id}/state/stats.json`);
	}

	async events(id: string): Promise<DispatchEvent[]> {
		const lines = (await this.read(`.tmp/task/${id}/state/events.jsonl`)).split('\n').filter((line) => line !== '');
		return lines.map((line) => JSON.parse(line) as DispatchEvent);
	}

	/** Lines the fake CLIs wrote into `$SEEN/<name>`. */
	seen(name: string): string[] {
		const file = join(this.base, 'seen', name);
		return existsSync(file)
			? readFileSync(file, 'utf8')
					.split('\n')
					.filter((line) => line !== '')
			: [];
	}

	seenFiles(): string[] {
		return readdirSync(join(this.base, 'seen'));
	}

	/** Writes a file that a fake CLI waits for. */
	async let(name: string): Promise<void> {
		await writeFile(join(this.base, 'seen', name), '');
	}

	dispatch(...args: string[]): Promise<Ran> {
		return this.start(args).ended;
	}

	start(
		args: readonly string[],
		{ env = {}, node = [], cwd = this.root }: { env?: Record<string, string>; node?: string[]; cwd?: string } = {},
	): Started {
		const child = spawn(process.execPath, [...node, binary, ...args], {
			cwd,
			env: { ...this.env, ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.#children.add(child);
		return { child, pid: child.pid!, ended: ended(child).finally(() => this.#children.delete(child)) };
	}

	async sh(script: string): Promise<Ran> {
		const child = spawn('/bin/sh', ['-c', script], { cwd: this.root, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
		return ended(child);
	}

	/** Waits until a condition holds: order is controlled, not slept for. */
	async until(what: string, holds: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
		const deadline = Date.now() + seconds * 1000;
		while (!(await holds())) {
			if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const child of this.#children) child.kill('SIGKILL');
		this.killAll();
		await rm(this.base, { recursive: true, force: true, maxRetries: 5 });
	}

	/** Ends all processes of this rig at once; some may end by themselves meanwhile. */
	killAll(): void {
		for (const pid of this.living()) {
			try {
				process.kill(pid, 'SIGKILL');
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
			}
		}
	}

	/** The running stage has been told of, when it began and a fifth of a second later: from now on its run writes nothing for a while. */
	async settled(id: string): Promise<void> {
		await this.until('the running stage has been told of', async () => {
			if (!this.has(`.tmp/task/${id}/outputs/_summary.md`)) return false;
			const started = (await this.events(id)).find((event) => event.type === 'stage_started');
			const updated = /^updated: "(.*)"$/m.exec(await this.summary(id))?.[1];
			return started !== undefined && updated !== undefined && Date.parse(updated) - Date.parse(started.time) >= 150;
		});
	}

	/** Processes that belong to this rig: their environment names its directory. Zombies are dead. */
	living(): number[] {
		return readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.map(Number)
			.filter((pid) => {
				try {
					const state = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')[0];
					return state !== 'Z' && state !== 'X' && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${this.env.HOME}`);
				} catch {
					return false;
				}
			});
	}
}

function ended(child: ChildProcess): Promise<Ran> {
	let stdout = '';
	let stderr = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	return new Promise((resolve) => child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr })));
}

/** An answer that passes the gate of a role. */
export const answers: Readonly<Record<string, string>> = {
	review:
		'## Findings\n- [LOW] src/a.txt:1 could be shorter\n## Test gaps\nNone.\n## Breaking changes\nNone.\n## Minimal fix\nNone.\n\nVerdict: APPROVED\n',
	verify: '## Report\nAll good.\n\nPASS\n',
	explore: 'The repository holds one file.\n',
	plan: '# Plan\n1. Do it.\n',
	brief: [
		'## Summary\nS\n## Acceptance\nA\n## Scope\nsrc\n## Constraints\nnone\n## Verify Commands\n```sh\ntrue\n```\n## Updated Context Pack',
		...[
			'Goal',
			'Non-goals',
			'Scope',
			'Acceptance',
			'Fixed Decisions',
			'Files to Read',
			'Prohibited Actions',
			'Current State',
			'Open Questions',
			'Change History',
		].map((name, n) => `## ${n}. ${name}\ntext ${n}`),
	].join('\n'),
	test_design: Array.from({ length: 12 }, (_, n) => `- case ${n}`).join('\n'),
	static_verify: '## Pre-execution checks\nok\n## Dangerous changes\nnone\n## Rollback plan\nrevert\n## Go/No-Go\nGo\n',
	test_impl: '## Added or Updated Tests\nnone\n## Unified Diff\nNo diff required.\n## Rationale\nenough\n',
	runbook: '## Problem\np\n## Plan\np\n## Commands\nc\n## Risks\nr\n',
	impl: 'Done: src/a.txt changed.\n',
};

/** A shell command that prints this text. */
export const say = (text: string): string => `cat <<'ANSWER_END'\n${text}\nANSWER_END`;

/** A fake codex: reads its prompt, logs the call, and answers as the real stream does. */
export const codexSays = (text: string, before = ''): string =>
	`cat > /dev/null\necho "codex $DISPATCH_ATTEMPT" >> "$SEEN/calls"\n${before}\n${say(
		[
			JSON.stringify({ type: 'thread.started', thread_id: '0196-thread' }),
			JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } }),
			JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20 } }),
		].join('\n'),
	)}`;

export const geminiSays = (text: string, before = ''): string =>
	`cat > /dev/null\necho "gemini $DISPATCH_ATTEMPT" >> "$SEEN/calls"\n${before}\n${say(
		[
			JSON.stringify({ type: 'init', session_id: 'gem-1', model: 'pro' }),
			JSON.stringify({ type: 'message', role: 'assistant', content: text, delta: true }),
			JSON.stringify({ type: 'result', status: 'success', stats: { input_tokens: 100, cached: 10, output_tokens: 20, total_tokens: 120 } }),
		].join('\n'),
	)}`;

export const copilotSays = (text: string, before = ''): string =>
	`cat > /dev/null\necho "copilot $DISPATCH_ATTEMPT" >> "$SEEN/calls"\n${before}\n${say(
		[
			JSON.stringify({ type: 'assistant.turn_start', data: { turnId: '0' } }),
			JSON.stringify({ type: 'assistant.message', data: { content: text } }),
			JSON.stringify({ type: 'result', sessionId: 'cop-1', exitCode: 0, usage: { premiumRequests: 1 } }),
		].join('\n'),
	)}`;
