import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode } from '../contract/exit-code.ts';
import { ensureDir } from '../packet/disk.ts';
import { lockOwner } from '../packet/lock.ts';
import { cacheDir, packetNames } from '../packet/names.ts';
import { readTail, sizeOf } from '../packet/read.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { inOrder, mapOf } from '../queue/chain.ts';
import { indexPackets } from '../queue/packet-index.ts';
import { visible } from '../report/visible.ts';
import { type Call, flag } from './command.ts';

/**
 * Starts the same run in the background. Returns when it owns one of its packets, so that `wait` finds it; or when it has ended already,
 * with its exit code and its words.
 */
export async function runDetached(call: Call, asked: readonly string[]): Promise<number> {
	const ids = asked.length === 1 ? asked : inOrder(asked, mapOf(indexPackets(call.root)));
	const dir = join(cacheDir(call.root), 'detached');
	ensureDir(dir);
	const log = join(dir, `${ids[0]}.log`);
	// A run that lives may be writing there.
	const fd = openSync(log, 'a', 0o600);
	const before = sizeOf(log) ?? 0;
	const args = process.argv.slice(1).filter((word) => word !== '--detach');
	const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', fd, fd], cwd: call.cwd, env: call.env });
	closeSync(fd);
	const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? ExitCode.failed)));
	let owned: string | undefined;
	while (owned === undefined) {
		const first = await Promise.race([ended, new Promise<null>((resolve) => setTimeout(() => resolve(null), 20))]);
		if (first !== null) {
			call.out(visible(readTail(log, Math.min(64 * 1024, (sizeOf(log) ?? 0) - before))));
			return first;
		}
		owned = ids.find((id) => {
			const owner = lockOwner(packetNames(call.root, id).lock, sameProcessAlive);
			return owner?.alive === 'alive' && owner.owner.pid === child.pid;
		});
	}
	child.unref();
	if (flag(call, 'json')) {
		// One line, as all that run --json prints.
		call.out(`${JSON.stringify({ task_ids: ids, pid: child.pid, next_action: `wait: dispatch wait ${owned}` })}\n`);
		return ExitCode.completed;
	}
	const [running, first] = ids.length === 1 ? ['runs', ''] : ['run', `, now ${owned}`];
	call.out(`${ids.join(', ')} ${running} in the background (process ${child.pid})${first}; dispatch wait ${owned} waits for its end\n`);
	return ExitCode.completed;
}
