import { existsSync } from 'node:fs';
import { ExitCode, gravest } from '../contract/exit-code.ts';
import { packetNames } from '../packet/names.ts';
import { Starter } from '../process/starter.ts';
import { inOrder } from '../queue/chain.ts';
import { indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import { HaltSwitch, isHalted } from '../run/halt.ts';
import { bottomless } from '../run/purse.ts';
import { glance } from '../worktree/snapshot.ts';
import type { Call } from './command.ts';
import { projectToRun } from './project-of.ts';
import { makeListener } from './run-console.ts';
import { runOne } from './run-one.ts';
import type { RunSettings } from './run-settings.ts';

/** Runs packets in dependency order, each to its end; a later one does not suffer from an earlier one it does not depend on. */
export async function runIds(call: Call, ids: readonly string[], settings: Partial<RunSettings>): Promise<number> {
	lookAhead(call.root, ids);
	const project = await projectToRun(call, ids);
	if (typeof project === 'number') return project;
	const listener = makeListener(call, project, ids.length > 1);
	const halt = new HaltSwitch();
	const starter = starterFor(call);
	const release = onSignals(halt);
	try {
		const codes: number[] = [];
		for (const id of ids.length > 1 ? inOrder(ids, entriesById(call.root)) : ids) {
			if (isHalted(halt)) {
				codes.push(ExitCode.interrupted);
				break;
			}
			codes.push(
				(
					await runOne(call, project, id, {
						flags: {},
						wait: false,
						resume: false,
						again: null,
						...settings,
						listener,
						halt,
						purse: bottomless,
						starter,
					})
				).exitCode,
			);
		}
		return gravest(codes);
	} finally {
		await starter.end();
		listener.finish();
		release();
	}
}

/** A packet that never ran will need to know what git says of the tree; it can look while we read the configuration. */
function lookAhead(root: string, [first = '', ...others]: readonly string[]): void {
	if (others.length === 0 && !existsSync(packetNames(root, first).journal)) glance(root);
}

const entriesById = (root: string): Map<string, PacketEntry> => new Map(indexPackets(root).map((entry) => [entry.id, entry]));

/** By its home one sees whose it is. */
export const starterFor = ({ env: { HOME } }: Call): Starter => new Starter(HOME === undefined ? {} : { HOME });

/** Ctrl-C and SIGTERM: gently, then at once. Hang-up: we go, the servants stay and are adopted by the next run. */
export function onSignals(halt: HaltSwitch): () => void {
	const stop = () => halt.stop();
	const leave = () => halt.leaveRunning();
	process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', leave);
	return () => process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', leave);
}
