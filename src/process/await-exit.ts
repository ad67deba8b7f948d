import type { ProcessIdentity } from '../contract/state-files.ts';
import { sameProcessAlive } from './identity.ts';
import { pause } from './pause.ts';
import { type RecordState, readRecord } from './record.ts';

const pollMs = 50;
const looksPerSecond = 1000 / pollMs;

/**
 * For a wrapper that is not our child: waits until its record has an exit, or until it is dead without one. When the signal
 * aborts, the record is given as it stands. A poll and no file watcher: watchers fail silently on some file systems,
 * and a poll of a line or two costs nothing.
 */
export async function awaitExit({
	recordFile,
	wrapper,
	signal,
}: {
	readonly recordFile: string;
	readonly wrapper: ProcessIdentity;
	readonly signal?: AbortSignal;
}): Promise<RecordState> {
	for (let looks = 0; ; looks++) {
		const record = readRecord(recordFile);
		if (record.state === 'exited' || signal?.aborted) return record;
		// It may have written its exit between the two looks.
		if (looks % looksPerSecond === 0 && sameProcessAlive(wrapper) === 'dead') return readRecord(recordFile);
		await pause(pollMs, signal);
	}
}
