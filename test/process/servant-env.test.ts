import { expect, test } from 'vitest';
import { servantEnv } from '../../src/process/servant-env.ts';
import { Zoo } from './zoo.ts';

test('a servant that prints its environment shows what it may see and nothing else', async () => {
	await using zoo = await Zoo.create();
	const from = {
		PATH: process.env.PATH,
		HOME: '/home/me',
		LANG: 'C.UTF-8',
		LC_TIME: 'C',
		TERM: 'xterm',
		HTTPS_PROXY: 'http://proxy:1',
		no_proxy: 'localhost',
		OPENAI_API_KEY: 'mine',
		ANTHROPIC_API_KEY: 'another servant’s',
		AWS_SECRET_ACCESS_KEY: 'nobody’s',
		CODEX_HOME: '/home/me/.codex',
		CODEX_SANDBOX: 'seatbelt',
		CLAUDECODE: '1',
		CLAUDE_CODE_ENTRYPOINT: 'cli',
		GEMINI_CLI: '1',
		DISPATCH_PROVIDER: 'codex',
		DISPATCH_ATTEMPT: 'the parent’s',
		TMPDIR: '/tmp/of/the/user',
		NODE_OPTIONS: '--require x',
		UNSET: undefined,
	};
	const names = ['OPENAI_API_KEY', 'CODEX_HOME', 'CODEX_SANDBOX', 'CLAUDECODE', 'NOT_THERE', 'UNSET'];
	const env = servantEnv({ from, names, set: { EXTRA: 'set for it' }, token: zoo.token, tmpdir: zoo.dir });
	const wrapper = await zoo.start('exec env', { env });
	await wrapper.exited;
	const printed = Object.fromEntries(
		(await zoo.read('stream'))
			.trim()
			.split('\n')
			.map((line) => line.split(/=(.*)/s).slice(0, 2)),
	);
	const { PWD, OLDPWD, SHLVL, _, ...seen } = printed; // shells add these
	expect(seen).toEqual({
		PATH: from.PATH,
		HOME: '/home/me',
		LANG: 'C.UTF-8',
		LC_TIME: 'C',
		TERM: 'xterm',
		HTTPS_PROXY: 'http://proxy:1',
		no_proxy: 'localhost',
		OPENAI_API_KEY: 'mine',
		CODEX_HOME: '/home/me/.codex',
		EXTRA: 'set for it',
		TMPDIR: zoo.dir,
		DISPATCH_ATTEMPT: zoo.token,
	});
});
