import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Complaint } from '../contract/complaint.ts';
import { readFile, whole } from './read-files.ts';

/** A complaint about a source as a plan names it: `configs/pipeline/review.yaml:14:9` with its line, or a flag, or a variable. */
export function complainAbout(root: string, source: string, message: string): Complaint {
	const [, file, line, col] = /^(.+):(\d+):(\d+)$/.exec(source) ?? [];
	if (file === undefined) return whole(source, message);
	const path = file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(root, file);
	const excerpt = readFile(path, file)?.excerpt(Number(line)) || null;
	return { level: 'error', file, line: Number(line), col: Number(col), message, excerpt };
}
