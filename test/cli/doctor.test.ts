import { expect, test } from 'vitest';
import { Rig } from '../rig.ts';

/** Every servant of the default profiles, installed and logged in. */
async function healthy(rig: Rig): Promise<void> {
	for (const [tool, version] of [
		['claude', '2.1.99 (Claude Code)'],
		['codex', 'codex-cli 0.169.1'],
		['gemini', '0.1.0'],
		['copilot', '99.0.1'],
	] as const)
		await rig.servant(tool, `env > "$SEEN/${tool}.env"; echo '${version}'`);
}
const keys = { ANTHROPIC_API_KEY: 'k', CODEX_API_KEY: 'k', GEMINI_API_KEY: 'k', GH_TOKEN: 'k', COPILOT_GITHUB_TOKEN: 'k' };

interface Document {
	readonly ok: boolean;
	readonly servants: readonly {
		tool: string;
		path: string | null;
		version: string | null;
		known_version: boolean | null;
		login: string;
		fix: string[];
		needed: boolean;
	}[];
}

test('with everything installed and logged in doctor is content; versions are told without any key', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	const ran = await rig.start(['doctor', '--json'], { env: keys }).ended;
	const { ok, servants } = JSON.parse(ran.stdout) as Document;
	expect({ exitCode: ran.exitCode, ok }).toEqual({ exitCode: 0, ok: true });
	const of = (tool: string) => servants.find((one) => one.tool === tool);
	expect(of('claude')).toMatchObject({ version: '2.1.99', known_version: true, login: 'seen', fix: [], needed: true });
	expect(of('codex')).toMatchObject({ version: '0.169.1', known_version: true });
	expect(of('copilot')).toMatchObject({ version: '99.0.1', known_version: false, fix: [] });
	expect(rig.seen('claude.env').filter((line) => line.includes('API_KEY'))).toEqual([]);
});

test('what is missing is named with the command that mends it, and the exit code is 6', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	await rig.sh('rm "$HOME/../bin/codex"');
	const ran = await rig.start(['doctor'], { env: { ...keys, ANTHROPIC_API_KEY: '' } }).ended;
	expect(ran.exitCode).toBe(6);
	expect(ran.stdout).toContain('To fix:\n  claude: claude auth login\n  codex: npm install -g @openai/codex\n');
	expect(ran.stdout).toContain('The default profiles need: claude, codex.\n');
});

test('a program that only a servant file names is to be put where that file says', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	await rig.write('configs/servant/mine.yaml', 'command: /nonexistent/mine\n');
	await rig.write('configs/servant/codex.yaml', 'command: codex-next\n');
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	const fixes = 'codex: put codex-next on PATH or set command in configs/servant/codex.yaml\n  mine: put a program at /nonexistent/mine or';
	expect((await rig.start(['doctor'], { env: keys }).ended).stdout).toContain(fixes);
	expect((await rig.dispatch('init')).stdout).toContain(
		'missing; put a program at /nonexistent/mine or set command in configs/servant/mine.yaml',
	);
	await rig.packet('t1', { task_type: 'plan' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(6);
	expect((await rig.lastFailure('t1')).next_action).toBe(
		'install: put a program at /nonexistent/mine or set command in configs/servant/mine.yaml, then dispatch run t1',
	);
});

test('a login is seen by its file, which is not read; a servant nobody needs does not matter', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	await rig.textServant('mine', 'true');
	await rig.sh(
		'rm "$HOME/../bin/mine-cli"; mkdir -p "$HOME/.codex" && echo x > "$HOME/.codex/auth.json" && chmod 0 "$HOME/.codex/auth.json"',
	);
	const ran = await rig.start(['doctor', '--json'], { env: { ...keys, CODEX_API_KEY: '' } }).ended;
	const { servants } = JSON.parse(ran.stdout) as Document;
	expect(ran.exitCode).toBe(0);
	expect(servants.find((one) => one.tool === 'codex')).toMatchObject({ login: 'seen' });
	expect(servants.find((one) => one.tool === 'mine')).toMatchObject({ path: null, needed: false });
});

test('a program that hangs when asked for its version does not hang doctor, and leaves nothing behind', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	await rig.servant('claude', 'sleep 300 & sleep 300');
	const ran = await rig.start(['doctor', '--json'], { env: keys }).ended;
	expect(ran.exitCode).toBe(0);
	expect((JSON.parse(ran.stdout) as Document).servants.find((one) => one.tool === 'claude')).toMatchObject({ version: null });
	expect(rig.living()).toEqual([]);
});

test('a program that the project brings along is not run to tell its version, neither by doctor nor by init', async () => {
	await using rig = await Rig.create();
	await healthy(rig);
	await rig.write('tools/claude', `#!/bin/sh\necho run >> '${rig.base}/seen/runs'\necho 2.1.99\n`);
	await rig.sh('chmod +x tools/claude && ln -s tools/claude linked');
	await rig.write('configs/servant/claude.yaml', 'command: ./tools/claude\n');
	await rig.write('configs/servant/mine.yaml', 'command: ./linked\n');
	const ran = await rig.start(['doctor', '--json'], { env: keys }).ended;
	const { servants } = JSON.parse(ran.stdout) as Document;
	const path = `${rig.root}/tools/claude`;
	expect(servants.find((one) => one.tool === 'claude')).toMatchObject({ path, version: null, known_version: null, fix: [] });
	expect((await rig.dispatch('init')).exitCode).toBe(0);
	expect(rig.seen('runs')).toEqual([]);
});
