import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where the program is that a shell would run for this name; null = it would not find one. */
export function findProgram(command: string, pathVar: string | undefined, cwd: string): string | null {
	if (command === '') return null;
	const candidates = command.includes('/')
		? [resolve(cwd, command)]
		: (pathVar ?? '/usr/bin:/bin').split(':').map((folder) => resolve(cwd, folder, command)); // an empty entry is the current directory
	return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
	try {
		// Most are not there, which is no reason for an exception.
		if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
