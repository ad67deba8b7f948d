import { readdirSync } from 'node:fs';
import type { PacketState } from '../journal/packet-state.ts';
import { stageOf } from '../journal/packet-state.ts';
import type { PacketNames } from './names.ts';

/** Attempt numbers are never reused, not even one whose directory is all that a crash left. */
export function nextAttempt(names: PacketNames, state: PacketState, stage: string): number {
	return Math.max(stageOf(state, stage).attempt, ...attemptsOnDisk(names, stage), 0) + 1;
}

export function attemptsOnDisk(names: PacketNames, stage: string): number[] {
	try {
		return readdirSync(names.attemptsOf(stage))
			.filter((name) => /^[1-9][0-9]{0,8}$/.test(name))
			.map(Number)
			.sort((a, b) => a - b);
	} catch {
		return [];
	}
}
