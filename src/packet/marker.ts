import type { Meta } from '../contract/meta.ts';
import { sha256 } from '../contract/sha256.ts';
import { DoneMarker } from '../contract/state-files.ts';
import { writeWhole } from './disk.ts';
import type { PacketNames } from './names.ts';
import { readBytes, readJson, sizeOf } from './read.ts';

/** Answers above this size are trusted by their presence: hashing them again would cost more than it tells. */
const rehashLimit = 16 * 1024 * 1024;

/** A stage's done marker, if it is one and the answer it vouches for is still there unchanged. */
export function readMarker(names: PacketNames, stage: string): DoneMarker | null {
	const marker = readJson(names.marker(stage), DoneMarker);
	if (marker === null || marker.stage !== stage) return null;
	return isAnswer(names.output(stage, marker.tool, 'out'), marker.out_sha256) ? marker : null;
}

/** Who sees this file may believe in the answer. */
export function writeMarker(
	names: PacketNames,
	{ stage, tool, attempt, prompt_sha256, out_sha256 }: Pick<Meta, 'stage' | 'tool' | 'attempt' | 'prompt_sha256' | 'out_sha256'>,
	{ inputs_sha256, finished_at }: Pick<DoneMarker, 'inputs_sha256' | 'finished_at'>,
): void {
	const marker: DoneMarker = { schema: 1, stage, tool, attempt, finished_at, prompt_sha256, inputs_sha256, out_sha256 };
	writeWhole(names.marker(stage), `${JSON.stringify(marker)}\n`);
}

/** Whether a file is there, and is the answer that had this hash. */
export function isAnswer(file: string, hash: string | null): boolean {
	const size = sizeOf(file);
	if (size === null) return false;
	if (hash === null || size > rehashLimit) return true;
	const bytes = readBytes(file);
	return bytes !== null && sha256(bytes) === hash;
}
