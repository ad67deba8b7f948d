import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../packet/disk.ts';
import type { Call } from './command.ts';

/** `--out FILE`: as it is, for the user's eyes only. */
export function writeOut(call: Call, file: string, text: string): void {
	attempt('writing', file, () => writeFileSync(resolve(call.cwd, file), text, { mode: 0o600 }));
}
