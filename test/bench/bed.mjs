// The place a benchmark runs in: a git repository with packets and instant servants, on the same disk as this project.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectDir = fileURLToPath(new URL('../..', import.meta.url));
export const benchDir = join(projectDir, '.tmp/bench');

/** A copy of the build that stays as it is, whatever is built while the benchmarks run. */
export function installProgram() {
	const built = statSync(join(projectDir, 'dist/bin.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	if (newest(join(projectDir, 'src')) > built) {
		execFileSync(process.execPath, [join(projectDir, 'scripts/build.mjs')], { cwd: projectDir, stdio: 'inherit' });
	}
	const dir = join(benchDir, `program-${process.pid}`);
	mkdirSync(dir, { recursive: true });
	for (const name of ['dist', 'configs', 'templates', 'schemas', 'package.json']) {
		if (existsSync(join(projectDir, name))) cpSync(join(projectDir, name), join(dir, name), { recursive: true });
	}
	return { binary: join(dir, 'dist/bin.js'), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

const newest = (dir) =>
	Math.max(
		0,
		...readdirSync(dir, { recursive: true, withFileTypes: true }).map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
	);

export class Bed {
	constructor(name, binary) {
		this.binary = binary;
		this.base = join(benchDir, `bed-${process.pid}-${name}`);
		this.root = join(this.base, 'repo');
		for (const dir of ['repo', 'bin', 'home']) mkdirSync(join(this.base, dir), { recursive: true });
		this.env = {
			PATH: `${join(this.base, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
			HOME: join(this.base, 'home'),
			LANG: 'C.UTF-8',
			TERM: 'dumb',
		};
		this.write('.gitignore', '.tmp/\n');
		this.write('src/a.txt', 'one\n');
		this.sh(
			'git init -q -b main . && git config user.name B && git config user.email b@example.invalid && git add -A && git commit -q -m start',
		);
	}

	write(path, text) {
		const file = join(this.root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	/** An executable on PATH, described as a servant that answers in plain text. */
	servant(name, script, more = '') {
		this.program(`${name}-cli`, script);
		this.write(`configs/servant/${name}.yaml`, `command: ${name}-cli\nargs: []\nprompt: stdin\noutput: text\n${more}`);
	}

	program(name, script) {
		const file = join(this.base, 'bin', name);
		writeFileSync(file, `#!/bin/sh\n${script}\n`);
		chmodSync(file, 0o755);
	}

	/** Profiles of chained reading stages: `chain3` has three. */
	chains(tool, lengths) {
		const stages = (n) => Array.from({ length: n }, (_, at) => `${tool}_explore${at === 0 ? '' : `-${at + 1}`}`).join(', ');
		const profiles = lengths.map((n) => `  chain${n}:\n    stages: [${stages(n)}]\n`).join('');
		this.write('configs/pipeline/chain.yaml', `pipeline: chain\ndefault_profile: chain${lengths[0]}\nprofiles:\n${profiles}`);
	}

	packet(id, body) {
		this.write(`.tmp/task/${id}/manifest.yaml`, `task_id: ${id}\ngoal: Goal of ${id}\n${body}`);
	}

	chainPacket(id, length) {
		this.packet(id, `routing:\n  intent: chain${length}\nbudgets:\n  paid_call_budget: 1000\n`);
	}

	sh(script) {
		return execFileSync('/bin/sh', ['-c', script], { cwd: this.root, env: this.env, encoding: 'utf8', maxBuffer: 1 << 28 });
	}

	/** Runs a program to its end: wall-clock time in milliseconds. Throws if it failed. */
	time(command, args, { cwd = this.root, env = {}, stdout = 'ignore' } = {}) {
		return new Promise((resolve, reject) => {
			const began = performance.now();
			const child = spawn(command, args, { cwd, env: { ...this.env, ...env }, stdio: ['ignore', stdout, 'pipe'] });
			let said = '';
			child.stderr.on('data', (chunk) => {
				said = (said + chunk).slice(-2000);
			});
			child.once('error', reject);
			child.once('close', (code) => {
				const ms = performance.now() - began;
				if (code === 0) resolve(ms);
				else reject(new Error(`${command} ${args.join(' ')}: exit ${code}\n${said}`));
			});
		});
	}

	dispatch(...args) {
		return this.time(process.execPath, [this.binary, ...args]);
	}

	start(args) {
		return spawn(process.execPath, [this.binary, ...args], { cwd: this.root, env: this.env, stdio: ['ignore', 'ignore', 'pipe'] });
	}

	remove() {
		rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
	}
}
