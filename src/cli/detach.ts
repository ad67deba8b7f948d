import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import { ensureDir } from '../packet/disk.ts';
import { lockOwner } from '../packet/lock.ts';
import { cacheDir, packetNames } from '../packet/names.ts';
import { readTail } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { visible } from '../report/visible.ts';
import { type Call, flag } from './command.ts';

/**
 * Starts the same run in the background. Returns when it owns its first packet, so that `wait` finds it; or when it has ended already,
 * with its exit code and its words.
 */
export async function runDetached(call: Call, ids: readonly string[]): Promise<number> {
	const dir = join(cacheDir(call.root), 'detached');
	ensureDir(dir);
	const log = join(dir, `${ids[0]}.log`);
	const fd = openSync(log, 'w', 0o600);
	const args = process.argv.slice(1).filter((word) => word !== '--detach');
	const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', fd, fd], cwd: call.cwd, env: call.env });
	closeSync(fd);
	const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? ExitCode.failed)));
	const lock = packetNames(call.root, ids[0]!).lock;
	for (;;) {
		const first = await Promise.race([ended, new Promise<null>((resolve) => setTimeout(() => resolve(null), 20))]);
		if (first !== null) {
			call.out(visible(readTail(log, 64 * 1024)));
			return first;
		}
		const owner = lockOwner(lock, sameProcessAlive);
		if (owner?.alive === 'alive' && owner.owner.pid === child.pid) break;
	}
	child.unref();
	if (flag(call, 'json')) {
		// One line, as all that run --json prints.
		call.out(`${JSON.stringify({ task_ids: ids, pid: child.pid, next_action: `wait: dispatch wait ${ids[0]}` })}\n`);
		return ExitCode.completed;
	}
	call.out(`${ids.join(' ')} runs in the background (process ${child.pid}); dispatch wait ${ids[0]} waits for its end\n`);
	return ExitCode.completed;
}
