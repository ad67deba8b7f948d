import { sha256 } from '../contract/sha256.ts';
import { DoneMarker } from '../contract/state-files.ts';
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

/** Whether a file is there, and is the answer that had this hash. */
export function isAnswer(file: string, hash: string | null): boolean {
	const size = sizeOf(file);
	if (size === null) return false;
	if (hash === null || size > rehashLimit) return true;
	const bytes = readBytes(file);
	return bytes !== null && sha256(bytes) === hash;
}
