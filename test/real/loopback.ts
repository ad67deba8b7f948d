import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Loopback {
	readonly port: number;
	/** What stands before a command line so that it runs beside the model server; empty where it is not shut in. */
	readonly enter: readonly string[];
	readonly close: () => Promise<void>;
}

const script = fileURLToPath(new URL('stub-models/server.mjs', import.meta.url));

/** The model server: in a network of its own that has nothing but loopback, where that can be had. */
export async function startLoopback(logFile: string): Promise<Loopback> {
	const command = [process.execPath, script, '--log', logFile];
	const shutIn = canBeShutIn();
	const child = shutIn
		? spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command], { stdio: ['pipe', 'pipe', 'inherit'] })
		: spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
	const port = Number(await firstLine(child));
	return {
		port,
		enter: shutIn ? ['nsenter', `--net=/proc/${child.pid}/ns/net`, '--'] : [],
		close: async () => {
			const gone = once(child, 'exit');
			child.stdin?.end();
			await gone;
		},
	};
}

function canBeShutIn(): boolean {
	const tried = spawnSync('unshare', ['--net', 'sh', '-c', 'ip link set lo up && nsenter --net=/proc/self/ns/net true'], {
		stdio: 'ignore',
	});
	return tried.status === 0;
}

async function firstLine(child: ChildProcess): Promise<string> {
	for await (const line of createInterface({ input: child.stdout! })) return line;
	throw new Error('the model server did not start');
}
