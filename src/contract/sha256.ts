import { createHash } from 'node:crypto';
import { sha256 as ofShort } from '@noble/hashes/sha2.js';

/** Loading node's own takes longer than hashing this much without it. */
const shortBytes = 2048;
let isLoaded = false;

/** In hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
	const bytes = typeof data === 'string' ? Buffer.from(data) : data;
	if (!isLoaded && bytes.length <= shortBytes) return Buffer.from(ofShort(bytes)).toString('hex');
	isLoaded = true;
	return createHash('sha256').update(bytes).digest('hex');
}

/** For who knows that there will be much to hash, and has a moment. */
export function loadHash(): void {
	isLoaded = true;
	createHash('sha256');
}
