import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../packet/disk.ts';
import { readText } from '../packet/read.ts';

/** Adds `.tmp/` to .gitignore unless a line there says so already. What was done, as lines to show. */
export function ignoreTmp(root: string): string[] {
	const file = join(root, '.gitignore');
	const stat = lstatSync(file, { throwIfNoEntry: false });
	const text = readText(file) ?? '';
	if (text.split(/\r?\n/).some((line) => /^\/?\.tmp(?:\/|\/\*\*?)?$/.test(line.trim()))) return [];
	// Writing it anew would turn the link into a file, writing through it might change something far away.
	if (stat !== undefined && !stat.isFile()) return ['left .gitignore alone (it is no plain file): add the line .tmp/ to it'];
	const newline = text.includes('\r\n') ? '\r\n' : '\n';
	writeWhole(file, `${text}${text === '' || text.endsWith('\n') ? '' : newline}.tmp/${newline}`, (stat?.mode ?? 0o644) & 0o777);
	return [`${stat === undefined ? 'created' : 'added .tmp/ to'} .gitignore`];
}
