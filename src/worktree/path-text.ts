import { posix } from 'node:path';

/** A path as text. File names are bytes; the rare one that is no UTF-8 shows its odd bytes as `\xNN`, so that no two paths look the same. */
export function pathText(raw: Buffer): string {
	const text = raw.toString('utf8');
	if (Buffer.from(text, 'utf8').equals(raw)) return text;
	return [...raw].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`)).join('');
}

/** From the top of the repository to the workspace: `../lib/x` for what lies beside a workspace that is not the top. */
export function fromPrefix(prefix: string, path: string): string {
	if (prefix === '') return path;
	return path.startsWith(prefix) ? path.slice(prefix.length) : posix.relative(prefix, path);
}

/** Our own directory at the top of the workspace. */
export const isOurs = (path: string) => path === '.tmp' || path.startsWith('.tmp/');
