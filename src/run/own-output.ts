import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeChange } from '../contract/evidence.ts';

/** What this process itself prints may go to a file in the work tree (`dispatch run t1 > log`): that is no servant's doing. */
export function withoutOwnOutput(dir: string, changes: readonly TreeChange[]): readonly TreeChange[] {
	if (changes.length === 0) return changes;
	const own = [1, 2].flatMap((fd) => fileOf(() => fstatSync(fd, { bigint: true })) ?? []);
	if (own.length === 0) return changes;
	return changes.filter(({ path }) => {
		const file = fileOf(() => statSync(join(dir, path), { bigint: true }));
		return file === null || !own.includes(file);
	});
}

/** What tells one file from another; null for pipes and terminals, and for what is gone. */
function fileOf(look: () => BigIntStats): string | null {
	try {
		const stat = look();
		return stat.isFile() ? `${stat.dev} ${stat.ino}` : null;
	} catch {
		return null;
	}
}
