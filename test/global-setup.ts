import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './project-dir.ts';

/** Tests of the binary test what is in the sources now. */
export default function setup(): void {
	const built = statSync(join(projectDir, 'dist/bin.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const newest = Math.max(...['src', 'configs', 'templates', 'scripts'].flatMap((dir) => times(join(projectDir, dir))));
	if (newest > built) execFileSync(process.execPath, [join(projectDir, 'scripts/build.mjs')], { cwd: projectDir, stdio: 'inherit' });
}

function times(dir: string): number[] {
	return readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
}
