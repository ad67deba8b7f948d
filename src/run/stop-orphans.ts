import type { EventOf } from '../contract/event.ts';
import { writeJson } from '../packet/disk.ts';
import { Journal } from '../packet/journal-file.ts';
import type { Lock } from '../packet/lock.ts';
import type { AttemptNames, PacketNames } from '../packet/names.ts';
import { endAttempt } from '../process/end-attempt.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { cancelRecord, readRecord } from '../process/record.ts';
import { watchDescendants } from '../process/watch-descendants.ts';

export interface Stopped {
	/** Stages whose servants were ended. */
	readonly ended: readonly string[];
	/** Processes that could not be ended. */
	readonly survivors: readonly number[];
	/** Stages whose servants run on another machine, if at all. */
	readonly elsewhere: readonly string[];
}

/**
 * Ends what a dead run left running, with the packet's lock held. The journal is not touched: the next run collects the
 * attempts from their records, and finds beside them that we ended them.
 */
export async function stopOrphans(names: PacketNames, lock: Lock): Promise<Stopped> {
	const { state } = new Journal(names.journal, lock.check, () => undefined);
	const open = [...state.stages.values()].flatMap((stage) => stage.open ?? []);
	const each = await Promise.all(open.map((reserved) => endOne(reserved, names.attempt(reserved.stage, reserved.attempt))));
	const stagesThat = (how: Ended['how']) => each.filter((one) => one.how === how).map((one) => one.stage);
	return { ended: stagesThat('ended'), survivors: each.flatMap((one) => one.survivors), elsewhere: stagesThat('elsewhere') };
}

interface Ended {
	readonly stage: string;
	readonly how: 'ended' | 'over' | 'elsewhere';
	readonly survivors: readonly number[];
}

async function endOne(reserved: EventOf<'stage_reserved'>, names: AttemptNames): Promise<Ended> {
	const { stage, token, boot_id, pid_namespace, host } = reserved;
	const end = (how: Ended['how'], survivors: readonly number[] = []): Ended => ({ stage, how, survivors });
	// A wrapper that has not begun yet must not begin later.
	if (cancelRecord(names.record) === 'cancelled') return end('over');
	const record = readRecord(names.record);
	const pid = record.pid ?? 0;
	const lives = record.pid === null ? 'dead' : sameProcessAlive({ pid, start_time: record.startTime ?? '', boot_id, pid_namespace, host });
	if (lives === 'unknown') return end('elsewhere');
	const root = lives === 'alive' ? { pid, startTime: record.startTime } : null;
	const remembered = watchDescendants({ token, root, intervalMs: null });
	if (remembered.look().length === 0) return end('over');
	// Written first: whoever comes after us must know that it was no fault of the servant's.
	if (record.state !== 'exited') writeJson(names.ending, { why: 'interrupted' });
	const { survivors } = await endAttempt({ remembered, wrapperPid: root?.pid ?? null });
	return end('ended', survivors);
}
