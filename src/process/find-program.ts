import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where the program is that a shell would run for this name; null = it would not find one. */
export function findProgram(command: string, pathVar: string | undefined, cwd: string): string | null {
	return candidates(command, pathVar, cwd).find(isExecutable) ?? null;
}

/** The file that would be the program if it could be executed; null if there is none, or a program that can. */
export function findBlocked(command: string, pathVar: string | undefined, cwd: string): string | null {
	const files = candidates(command, pathVar, cwd).filter(isFile);
	return files.some(isExecutable) ? null : (files[0] ?? null);
}

function candidates(command: string, pathVar: string | undefined, cwd: string): string[] {
	if (command === '') return [];
	if (command.includes('/')) return [resolve(cwd, command)];
	return (pathVar ?? '/usr/bin:/bin').split(':').map((folder) => resolve(cwd, folder, command)); // an empty entry is the current directory
}

function isExecutable(file: string): boolean {
	try {
		if (!isFile(file)) return false;
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function isFile(file: string): boolean {
	try {
		// Most are not there, which is no reason for an exception.
		return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		return false;
	}
}
