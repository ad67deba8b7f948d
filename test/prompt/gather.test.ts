import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contract/sha256.ts';
import { type GatherAsk, gatherSources } from '../../src/prompt/gather.ts';

let root: string;
let dir: string;
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), 'dispatch-gather-')));
	dir = join(root, '.tmp/task/t1');
	mkdirSync(join(dir, 'inputs/attachments'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** `~` is the packet, anything else is relative to the project's root. */
const at = (path: string) => (path.startsWith('~/') ? join(dir, path.slice(2)) : join(root, path));
function write(path: string, content: string | Buffer): string {
	mkdirSync(dirname(at(path)), { recursive: true });
	writeFileSync(at(path), content);
	return at(path);
}
function gather(more: Partial<GatherAsk> = {}) {
	const packet = {
		dir,
		contextPack: at('~/inputs/context_pack.md'),
		userRequest: at('~/inputs/user_request.md'),
		attachments: at('~/inputs/attachments'),
	};
	return gatherSources({ packet, root, forbiddenPaths: [], outputs: [], lineage: [], acceptance: [], gateReasons: [], ...more });
}
function sources(more: Partial<GatherAsk> = {}) {
	const result = gather(more);
	if (!result.ok) throw new Error(JSON.stringify(result.failures));
	return result.value;
}
function reasons(more: Partial<GatherAsk> = {}): readonly string[] {
	const result = gather(more);
	if (result.ok) return [];
	const [failure] = result.failures;
	return failure.class === 'forbidden_input' ? failure.reasons : [failure.class];
}

describe('gathering', () => {
	test('takes everything in the order it is shown', () => {
		write('~/inputs/user_request.md', 'please');
		write('~/inputs/context_pack.md', 'pack');
		write('~/inputs/attachments/z.txt', 'z');
		write('~/inputs/attachments/sub/context_pack.md', 'not the pack');
		const out = write('~/outputs/codex_impl.codex.out', 'answer');
		const patch = write('~/outputs/codex_impl.patch', 'patch');
		const all = sources({
			outputs: [{ stage: 'codex_impl', tool: 'codex', path: out, patch }],
			lineage: [{ path: 'p1/outputs/plan.artifact.md', text: 'plan' }],
			acceptance: [{ command: 'npm test', exitCode: 1, timedOut: false, durationSec: 1.5, output: 'red\n' }],
			gateReasons: ['no change'],
		});
		expect(all.map(({ kind, path, text }) => [kind, path, text])).toEqual([
			['context_pack', 'inputs/context_pack.md', 'pack'],
			['user_request', 'inputs/user_request.md', 'please'],
			['attachment', 'inputs/attachments/sub/context_pack.md', 'not the pack'],
			['attachment', 'inputs/attachments/z.txt', 'z'],
			['stage_output', 'outputs/codex_impl.codex.out', 'answer'],
			['stage_output', 'outputs/codex_impl.patch', 'patch'],
			['lineage', 'p1/outputs/plan.artifact.md', 'plan'],
			['acceptance', 'acceptance results', '$ npm test\nred\n[exit 1]\n'],
			['gate_reasons', 'gate', '- no change\n'],
		]);
	});

	test('an older copy that is read as the context pack is labelled as the context pack', () => {
		const contextPack = write('~/state/context_pack.before.md', 'old');
		const packet = { dir, contextPack, userRequest: at('~/inputs/user_request.md'), attachments: at('~/inputs/attachments') };
		expect(sources({ packet })).toMatchObject([{ kind: 'context_pack', path: 'inputs/context_pack.md', text: 'old' }]);
	});

	test('an empty packet has no sources', () => {
		rmSync(join(dir, 'inputs'), { recursive: true });
		expect(sources()).toEqual([]);
	});

	test('names binaries instead of inlining them, and shows what is no text', () => {
		const image = Buffer.from([0x89, 0x50, 0, 1]);
		write('~/inputs/attachments/a.png', image);
		write('~/inputs/attachments/b.txt', Buffer.concat([Buffer.alloc(9000, 'x'), Buffer.from([0, 0xff, 0x41])]));
		const [png, text] = sources();
		expect(png!.text).toBe(`(binary, not inlined: 4 bytes, sha256 ${sha256(image)})`);
		expect(text!.text.slice(8999)).toBe('x\u2400\ufffdA');
	});

	test('reads the ends of a very large file, and hashes all of it', () => {
		const file = write('~/inputs/attachments/big.txt', Buffer.alloc(9 * 1024 * 1024, 'x'));
		const [big] = sources();
		expect(big).toMatchObject({ bytes: 9 * 1024 * 1024, sha256: sha256(Buffer.alloc(9 * 1024 * 1024, 'x')) });
		expect(big!.text.length + big!.gap!.bytes).toBe(big!.bytes);
		expect(big!.gap!.at).toBe(big!.text.length / 2);
		truncateSync(file, 0);
		expect(sources()[0]).toMatchObject({ text: '', bytes: 0 });
	});

	test('never opens pipes, sockets or devices', async () => {
		execFileSync('mkfifo', [at('~/inputs/attachments/pipe.log')]);
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(at('~/inputs/attachments/sock'), resolve));
		const all = sources();
		await new Promise((resolve) => server.close(resolve));
		expect(all.map(({ path, note }) => [path, note])).toEqual([
			['inputs/attachments/pipe.log', 'a named pipe, not read'],
			['inputs/attachments/sock', 'a socket, not read'],
		]);
		execFileSync('mkfifo', [at('~/inputs/context_pack.md')]);
		expect(reasons()).toEqual(['inputs/context_pack.md is a named pipe, not a file']);
	});
});

describe('links', () => {
	test('are followed inside the project', () => {
		write('docs/a.md', 'a');
		symlinkSync(at('docs/a.md'), at('~/inputs/attachments/a.md'));
		symlinkSync('../../../../../docs', at('~/inputs/attachments/docs'));
		expect(sources().map(({ path, text }) => [path, text])).toEqual([
			['inputs/attachments/a.md', 'a'],
			['inputs/attachments/docs/a.md', 'a'],
		]);
	});

	test('that lead out stop the run, dangling or not, file or directory, named input or attachment', () => {
		symlinkSync('/etc/hostname', at('~/inputs/context_pack.md'));
		symlinkSync('/dev/zero', at('~/inputs/attachments/a'));
		symlinkSync('/etc', at('~/inputs/attachments/b'));
		symlinkSync('/nowhere/x', at('~/inputs/attachments/c'));
		expect(reasons()).toEqual([
			expect.stringMatching(/^inputs\/context_pack\.md links to \/.*, outside the packet and the project$/),
			'inputs/attachments/a links to /dev/zero, outside the packet and the project',
			'inputs/attachments/b links to /etc, outside the packet and the project',
			'inputs/attachments/c links to /nowhere/x, outside the packet and the project',
		]);
	});

	test('that go in circles or nowhere are noted', () => {
		symlinkSync('.', at('~/inputs/attachments/loop'));
		symlinkSync('gone', at('~/inputs/attachments/void'));
		expect(sources().map(({ path, note }) => [path, note])).toEqual([
			['inputs/attachments/loop', 'a link to a directory above it, not followed'],
			['inputs/attachments/void', 'a link that leads nowhere, not read'],
		]);
	});

	test('to a forbidden path stop the run, even through a directory', () => {
		write('secrets/key', 'k');
		write('src/a.ts', 'a');
		symlinkSync('../../../../../secrets/key', at('~/inputs/attachments/harmless.txt'));
		symlinkSync('../../../../..', at('~/inputs/attachments/project'));
		expect(reasons({ forbiddenPaths: ['secrets/'] })).toEqual([
			'inputs/attachments/harmless.txt links to secrets/key, forbidden by "secrets/"',
			expect.stringContaining('inputs/attachments/project/secrets links to secrets, forbidden by "secrets/"'),
		]);
	});
});

describe('forbidden paths', () => {
	const forbiddenPaths = ['secrets/', '**/*.pem', '.env'];

	test('an attachment that is one stops the run', () => {
		write('~/inputs/attachments/.env', 'x');
		write('~/inputs/attachments/deep/Key.PEM', 'x');
		expect(reasons({ forbiddenPaths })).toEqual([
			'inputs/attachments/.env is forbidden by ".env"',
			'inputs/attachments/deep/Key.PEM is forbidden by "**/*.pem"',
		]);
	});

	test('a patch or the diff of an earlier packet that touches one stops the run; an answer that quotes it does not', () => {
		const diff = '--- a/secrets/x\n+++ b/secrets/x\n@@ -1 +1 @@\n-a\n+b\n';
		const out = write('~/outputs/s.codex.out', diff);
		const patch = write('~/outputs/s.patch', diff);
		expect(reasons({ forbiddenPaths, outputs: [{ stage: 's', tool: 'codex', path: out }] })).toEqual([]);
		expect(
			reasons({ forbiddenPaths, outputs: [{ stage: 's', tool: 'codex', path: out, patch }], lineage: [{ path: 'p1 diff', text: diff }] }),
		).toEqual([
			'outputs/s.patch is a diff that touches secrets/x, forbidden by "secrets/"',
			'p1 diff is a diff that touches secrets/x, forbidden by "secrets/"',
		]);
	});

	test('a diff too large to look through stops the run where paths are forbidden', () => {
		write('~/inputs/attachments/git.diff', `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n${' x\n'.repeat(4_000_000)}`);
		expect(reasons()).toEqual([]);
		expect(reasons({ forbiddenPaths })[0]).toMatch(/^inputs\/attachments\/git\.diff is a diff of \d+ bytes, too large to be checked/);
	});
});
