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
	const out = names.output(stage, marker.tool, 'out');
	const size = sizeOf(out);
	if (size === null) return null;
	if (marker.out_sha256 === null || size > rehashLimit) return marker;
	const bytes = readBytes(out);
	return bytes !== null && sha256(bytes) === marker.out_sha256 ? marker : null;
}
