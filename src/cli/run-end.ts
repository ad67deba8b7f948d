import { ExitCode } from '../contract/exit-code.ts';
import { never } from '../contract/outcome.ts';
import type { PacketStatus } from '../contract/words.ts';
import { visible } from '../report/visible.ts';
import type { RunEnd } from '../run/run-order.ts';
import { lockedText } from './locked-text.ts';
import type { Listener } from './run-console.ts';

export interface RanPacket {
	readonly exitCode: number;
	readonly status: PacketStatus | null;
}

/** Says what else there is to say, and turns it into an exit code. */
export function tellEnd(end: RunEnd, id: string, listener: Listener, version: string): RanPacket {
	switch (end.kind) {
		case 'finished':
			return { exitCode: end.exitCode, status: end.status };
		case 'locked':
			listener.error(lockedText(id, end.locked));
			return { exitCode: ExitCode.locked, status: null };
		case 'no_workspace':
			listener.error(`${id}: ${visible(end.problem)}`);
			return { exitCode: end.exitCode, status: end.status };
		case 'disk':
			listener.error(`${id}: ${visible(end.trouble.message)}; nothing is lost: when that is mended, dispatch run ${id} continues`);
			return { exitCode: ExitCode.needsHuman, status: null };
		case 'lock_lost':
			listener.error(`${id}: another run has taken over this packet; this one ends without touching it`);
			return { exitCode: ExitCode.locked, status: null };
		case 'overtaken':
			return { exitCode: ExitCode.locked, status: null };
		case 'left':
			return { exitCode: ExitCode.interrupted, status: null };
		case 'bug':
			listener.error(
				`${id}: internal error; please report it with .tmp/task/${id}/state/internal-error.log and the output of dispatch --version (${version}): ${visible(String(end.error))}`,
			);
			return { exitCode: ExitCode.bug, status: null };
		default:
			return never(end);
	}
}
