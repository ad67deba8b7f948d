import type { Locked } from '../packet/lock.ts';
import { visible } from '../report/visible.ts';

/** Who holds a packet, and what can be done about it. */
export function lockedText(id: string, { owner, alive }: Locked): string {
	if (owner === null) return `${id} is locked by something that is no lock of ours (state/lock); look at it, then dispatch unlock ${id}`;
	const who = `process ${owner.pid} on ${visible(owner.host)} since ${visible(owner.since)}`;
	return alive === 'alive'
		? `${id} is being run by ${who}`
		: `${id} is locked by ${who}, which cannot be looked at from here; if it is gone: dispatch unlock ${id}`;
}
