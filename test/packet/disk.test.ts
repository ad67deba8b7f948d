import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { DiskTrouble, removeTreeSoon, writeOwn, writeWhole } from '../../src/packet/disk.ts';
import { randomToken } from '../../src/packet/random-name.ts';

function place() {
	const dir = mkdtempSync(join(tmpdir(), 'disk-'));
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
	return (name: string) => join(dir, name);
}

test('a file of our own takes its name at once, and replaces half a file that a run left', () => {
	const at = place();
	writeOwn(at('meta'), 'whole', 0o600);
	expect(readFileSync(at('meta'), 'utf8')).toBe('whole');
	writeFileSync(at('meta'), 'wh');
	writeOwn(at('meta'), 'whole again');
	expect(readFileSync(at('meta'), 'utf8')).toBe('whole again');
	expect(readdirSync(at('.'))).toEqual(['meta']);
});

test.each([
	['a hard link', linkSync],
	['a symbolic link', symlinkSync],
])('%s that somebody put in its place is replaced, and not written through', (_, link) => {
	const at = place();
	writeFileSync(at('precious'), 'mine');
	link(at('precious'), at('meta'));
	writeOwn(at('meta'), 'ours');
	expect([readFileSync(at('precious'), 'utf8'), readFileSync(at('meta'), 'utf8')]).toEqual(['mine', 'ours']);
});

test('a directory is removed soon, with what is in it; one that is gone is no trouble, one that cannot go is', async () => {
	const at = place();
	mkdirSync(at('empty'));
	mkdirSync(at('full/deep'), { recursive: true });
	writeFileSync(at('full/deep/file'), '');
	await Promise.all(['empty', 'full', 'gone'].map((name) => removeTreeSoon(at(name))));
	expect(readdirSync(at('.'))).toEqual([]);
	await expect(removeTreeSoon('/proc/self/task')).rejects.toThrow(DiskTrouble);
});

test('tokens are as long as they should be and never the same', () => {
	const tokens = Array.from({ length: 100 }, () => randomToken(16));
	expect(new Set(tokens).size).toBe(100);
	expect(tokens.every((token) => /^[0-9a-f]{32}$/.test(token))).toBe(true);
});

const mayMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

test.skipIf(!mayMount)('a read-only file system is called that, not a directory that is gone', () => {
	const at = place();
	const program = `import { ensureDir } from ${JSON.stringify(new URL('../../src/packet/disk.ts', import.meta.url).pathname)};
		try { ensureDir(process.argv[2]); } catch (error) { console.log(error.message); }`;
	const bundle = buildSync({
		stdin: { contents: program, loader: 'ts', resolveDir: at('.') },
		bundle: true,
		platform: 'node',
		write: false,
	});
	writeFileSync(at('make.cjs'), bundle.outputFiles[0]!.text);
	mkdirSync(at('ro'));
	const script = `mount -t tmpfs -o ro none "$0/ro" && "$1" "$0/make.cjs" "$0/ro/a/b"`;
	const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script, at('.').replace(/\/$/, ''), process.execPath], { encoding: 'utf8' });
	expect(ran.stdout).toBe(`creating ${at('ro/a/b')}: the file system is read-only\n`);
});

test('a file that takes the place of another holds nothing of it for long', async () => {
	const file = place()('state.json');
	const held = () =>
		readdirSync('/proc/self/fd').filter((fd) => {
			try {
				return readlinkSync(`/proc/self/fd/${fd}`).startsWith(file);
			} catch {
				return false;
			}
		});
	for (const n of [1, 2, 3]) writeWhole(file, `${n}`);
	expect(readFileSync(file, 'utf8')).toBe('3');
	await expect.poll(held).toEqual([]);
});
