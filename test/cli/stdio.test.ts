import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isTerminal } from '../../src/cli/stdio.ts';
import { projectDir } from '../project-dir.ts';
import { answers, Rig, say } from '../rig.ts';

const dispatch = `'${process.execPath}' '${join(projectDir, 'dist/bin.js')}'`;

async function rigOf(packets: number): Promise<Rig> {
	const rig = await Rig.create();
	for (let n = 0; n < packets; n++) await rig.packet(`packet-${n}`, { task_type: 'explore' });
	return rig;
}

test('a reader that goes away early is no error', async () => {
	await using rig = await rigOf(3);
	const writer = `until [ -e "$SEEN/closed" ]; do sleep 0.01; done; ${dispatch} status 2>"$SEEN/err"; echo "$?" >"$SEEN/code"`;
	await rig.sh(`{ ${writer}; } | { exec <&-; : >"$SEEN/closed"; }; until [ -s "$SEEN/code" ]; do sleep 0.01; done`);
	expect(rig.seen('code')).toEqual(['0']);
	expect(rig.seen('err')).toEqual([]);
});

test('a reader that is slow, on a pipe that does not wait, gets everything', async () => {
	await using rig = await rigOf(600);
	const whole = (await rig.dispatch('status', '--json')).stdout;
	expect(whole.length).toBeGreaterThan(100_000);
	const pipe = join(rig.base, 'pipe');
	execFileSync('mkfifo', [pipe]);
	const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
	// Not as its stdout: node would make it wait.
	const child = spawn('/bin/sh', ['-c', `exec ${dispatch} status --json >&3`], {
		cwd: rig.root,
		env: rig.env,
		stdio: ['ignore', 'ignore', 'inherit', fd],
	});
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	let read = '';
	let exitCode: number | null | undefined;
	void ended.then((code) => {
		exitCode = code;
	});
	const piece = Buffer.alloc(4096);
	await rig.until('all of it is read', () => {
		try {
			read += piece.toString('utf8', 0, readSync(fd, piece));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
		}
		return read.length >= whole.length && exitCode !== undefined;
	});
	closeSync(fd);
	expect(exitCode).toBe(0);
	expect(read).toBe(whole);
});

test('a terminal is told from a file, a pipe and the null device', () => {
	const told = (file: string) => {
		const fd = openSync(file, constants.O_RDWR | constants.O_NOCTTY);
		try {
			return isTerminal(fd);
		} finally {
			closeSync(fd);
		}
	};
	expect(told('/dev/ptmx')).toBe(true);
	expect(told('/dev/null')).toBe(false);
	expect(told(fileURLToPath(import.meta.url))).toBe(false);
	expect(isTerminal(9999)).toBe(false);
});

test.skipIf(!existsSync('/dev/full'))('a full disk under the console ends no run, and no listing is taken for whole', async () => {
	await using rig = await rigOf(0);
	await rig.textServant('quick', `cat > /dev/null; ${say(answers.explore!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: quick\n');
	for (const [id, flags] of [
		['told', ''],
		['json', '--json'],
	]) {
		await rig.packet(id!, { task_type: 'explore' });
		const ran = await rig.sh(`${dispatch} run ${id} ${flags} >/dev/full`);
		expect(ran).toMatchObject({ exitCode: 0, stderr: 'dispatch: the output is lost: ENOSPC: no space left on device\n' });
		expect(await rig.summary(id!)).toContain('status: completed');
		expect(rig.has(`.tmp/task/${id}/state/lock`)).toBe(false);
	}
	for (const command of ['status', 'status --json', '--help', 'show told']) {
		const ran = await rig.sh(`${dispatch} ${command} >/dev/full`);
		expect({ command, ...ran }).toMatchObject({ exitCode: 1, stderr: 'dispatch: the output is lost: ENOSPC: no space left on device\n' });
	}
	expect((await rig.sh(`${dispatch} run told >/dev/full 2>/dev/full`)).exitCode).toBe(0);
});
