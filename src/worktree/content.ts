import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { sha256 } from '../contract/sha256.ts';
import { madeOf, timesOf } from './made-of.ts';

export interface FileContent {
	/** Equal text, equal content: `file:x:<sha256>`, `link:<target>`, `none`… */
	readonly content: string;
	/** Where a symlink really leads, relative to the workspace. */
	readonly target: string | null;
	readonly bytes: number;
}

/** Larger files are recognised by size, times and inode: a write changes ctime, and nobody can set that back. */
const mostHashed = 4 * 1024 * 1024;

export const noContent: FileContent = { content: 'none', target: null, bytes: 0 };

/** What a path holds now. Never opens what could block (pipes, devices) and never follows a link. */
export function contentOf(path: Buffer | string, workspace: string, hash = true): FileContent {
	try {
		return look(path, workspace, hash);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === 'ENOENT' || code === 'ENOTDIR' ? noContent : { content: `unreadable:${code}`, target: null, bytes: 0 };
	}
}

function look(path: Buffer | string, workspace: string, hash: boolean): FileContent {
	const stat = lstatSync(path, { bigint: true });
	const bytes = Number(stat.size);
	if (stat.isSymbolicLink()) {
		const to = readlinkSync(path, 'utf8');
		return { content: `link:${to}`, target: leadsTo(path.toString(), to, workspace), bytes };
	}
	if (stat.isDirectory()) return { content: 'dir', target: null, bytes };
	if (!stat.isFile()) return { content: `special:${stat.mode}`, target: null, bytes };
	const kind = (stat.mode & 0o100n) === 0n ? '-' : 'x';
	const digest = hash && bytes <= mostHashed ? madeOf(path, stat, digestOf) : null;
	const content = digest ?? `stat:${timesOf(stat)}`;
	return { content: `file:${kind}:${content}`, target: null, bytes };
}

export const isBig = (file: FileContent) => file.bytes > mostHashed;

function leadsTo(link: string, to: string, workspace: string): string {
	try {
		return relative(workspace, realpathSync(link));
	} catch {
		return relative(workspace, resolve(dirname(link), to));
	}
}

function digestOf(path: Buffer | string): string | null {
	let fd: number;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return null;
	}
	try {
		return fstatSync(fd).isFile() ? sha256(readFileSync(fd)) : null;
	} catch {
		return null;
	} finally {
		closeSync(fd);
	}
}
