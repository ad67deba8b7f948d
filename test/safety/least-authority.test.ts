import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, codexSays, geminiSays, Rig, say } from '../rig.ts';

const explore = { task_type: 'explore', provider: 'zoo' };

const surrounding = {
	ANTHROPIC_API_KEY: 'k-claude',
	OPENAI_API_KEY: 'k-openai',
	CODEX_API_KEY: 'k-codex',
	GEMINI_API_KEY: 'k-gemini',
	GITHUB_TOKEN: 'k-github',
	AWS_SECRET_ACCESS_KEY: 'k-aws',
	MY_OWN: 'wanted',
	CLAUDECODE: '1',
	CLAUDE_CODE_ENTRYPOINT: 'cli',
	CODEX_THREAD_ID: 't',
	GEMINI_CLI: '1',
	COPILOT_CLI: '1',
	DISPATCH_PROVIDER: 'zoo',
	DISPATCH_ATTEMPT: 'of-a-parent',
	SSH_AUTH_SOCK: '/tmp/agent',
	NODE_OPTIONS: '--no-warnings',
	LD_PRELOAD_X: 'x',
	HTTPS_PROXY: 'http://proxy.invalid:1',
	LC_TIME: 'C',
	TMPDIR: '/tmp',
};

test.concurrent('a servant sees what every program needs, what it was promised, and its token; nobody else’s keys and no parent session', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', `cat > /dev/null; env > "$SEEN/env"; ls -ld "$TMPDIR" > "$SEEN/tmpdir"; ${say(answers.explore!)}`, {
		env: ['MY_OWN', 'DISPATCH_PROVIDER'],
	});
	await rig.packet('p', explore);
	const ran = await rig.start(['run', 'p'], { env: surrounding }).ended;
	expect(ran.exitCode, ran.stderr).toBe(0);
	const env = Object.fromEntries(rig.seen('env').map((line) => line.split(/=(.*)/s) as [string, string]));
	expect(Object.keys(env).sort()).toEqual(
		['DISPATCH_ATTEMPT', 'HOME', 'HTTPS_PROXY', 'LANG', 'LC_TIME', 'MY_OWN', 'PATH', 'PWD', 'TERM', 'TMPDIR'].sort(),
	);
	expect(env.DISPATCH_ATTEMPT).toMatch(/^[0-9a-f]{32}$/);
	expect(env.TMPDIR!.startsWith(join(rig.root, '.tmp/tmp/'))).toBe(true);
	expect(rig.seen('tmpdir')[0]).toMatch(/^drwx------/);
	expect(rig.has(`.tmp/tmp/${env.TMPDIR!.split('/').at(-1)}`)).toBe(false);
});

test.concurrent.each([
	['codex', codexSays, ['CODEX_API_KEY', 'OPENAI_API_KEY']],
	['gemini', geminiSays, ['GEMINI_API_KEY']],
] as const)('%s sees its own keys only', async (tool, says, own) => {
	await using rig = await Rig.create();
	await rig.servant(tool, says(answers.explore!, 'env > "$SEEN/env"'));
	await rig.packet('p', { task_type: 'explore', provider: tool });
	const ran = await rig.start(['run', 'p'], { env: { ...surrounding, DISPATCH_PROVIDER: tool } }).ended;
	expect(ran.exitCode, ran.stdout).toBe(0);
	const names = rig
		.seen('env')
		.filter((line) => line.includes('=k-'))
		.map((line) => line.split('=')[0]!);
	expect(names.filter((name) => !(own as readonly string[]).includes(name))).toEqual([]);
	expect(names.length).toBeGreaterThan(0);
	expect(rig.seen('env').join('\n')).not.toMatch(
		/^(CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CODEX_THREAD_ID|GEMINI_CLI|COPILOT_CLI|SSH_AUTH_SOCK|DISPATCH_PROVIDER)=/m,
	);
});

test.concurrent('what may hold secrets is readable by its owner only, whatever the umask', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, 'echo secret >&2'));
	await rig.packet(
		'p',
		{ task_type: 'review', provider: 'codex' },
		{ 'user_request.md': 'x', 'context_pack.md': `## 0. Goal\n${'x\n'.repeat(9000)}` },
	);
	const ran = await rig.sh(`umask 000; node ${process.env.DISPATCH_BINARY ?? join(import.meta.dirname, '../../dist/bin.js')} run p`);
	expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
	const open = files(join(rig.root, '.tmp')).filter((file) => (statSync(file).mode & 0o077) !== 0);
	const secret = /prompt|stream|\.err$|\/err$|\.log$|events\.jsonl$|digest|\/out$|\.out$|tree\.json|acceptance\.json/;
	expect(open.filter((file) => secret.test(file.slice(rig.root.length))).filter((file) => !file.endsWith('context_pack.md'))).toEqual([]);
});

function files(dir: string): string[] {
	return readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ';
const own = 'hunter2-4711';

test.concurrent('a secret of the inputs reaches no prompt, log, summary or console', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', `cat > "$SEEN/prompt"; ${say(answers.explore!)}`);
	await rig.packet(
		'p',
		{ ...explore, goal: `use ${own}`, security: { redaction_patterns: ['hunter2-\\d+'] } },
		{
			'user_request.md': `the key is ${key} and ${own}\n`,
			'context_pack.md': `export ANTHROPIC_API_KEY=${key}\n`,
			'attachments/notes.md': `${own}\n-----BEGIN RSA PRIVATE KEY-----\nMIIabcdef\n-----END RSA PRIVATE KEY-----\n`,
		},
	);
	for (const args of [
		['run', 'p'],
		['run', 'p', '--json', '--fresh'],
		['plan', 'p', '--json'],
	]) {
		const ran = await rig.dispatch(...args);
		expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
		for (const secret of [key, own, 'MIIabcdef']) expect(ran.stdout + ran.stderr).not.toContain(secret);
	}
	const prompt = rig.seen('prompt').join('\n');
	expect(prompt).toContain('[REDACTED]');
	for (const secret of [key, own, 'MIIabcdef']) {
		expect(prompt).not.toContain(secret);
		expect(
			(await rig.sh(`grep -rlF -- '${secret}' .tmp/task/p/outputs .tmp/task/p/state .tmp/task/p/inputs/prompt .tmp/task/p/done`)).stdout,
		).toBe('');
	}
});

test.concurrent('a secret in a goal reaches no listing and no commit', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', `cat > /dev/null; echo two > src/a.txt; ${say(answers.impl!)}`);
	const manifest = { task_type: 'task', provider: 'zoo', scope: { allow: ['src'] }, security: { redaction_patterns: ['hunter2-\\d+'] } };
	await rig.packet('p', { ...manifest, goal: `use ${own}, not ${key}` });
	await rig.packet('broken', { goal: `use ${key}`, tsk_type: 'task' });
	const looks = ['status', 'status --json', 'next', 'next --json', 'next --all'];
	const look = async () => (await Promise.all(looks.map((args) => rig.dispatch(...args.split(' '))))).map(({ stdout }) => stdout);
	const before = await look();
	expect(before.join('')).toContain('use [REDACTED], not [REDACTED]');
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	const { stdout: log } = await rig.sh('git log --all');
	expect(log).toContain('use [REDACTED], not [REDACTED]');
	for (const text of [...before, ...(await look()), log]) for (const secret of [key, own]) expect(text).not.toContain(secret);
});

test.concurrent('a line that is quoted because it is wrong is quoted without its secrets', async () => {
	await using rig = await Rig.create();
	const line = `gool: "use ${own}, not ${key}"`;
	const patterns = 'security: { redaction_patterns: ["hunter2-[0-9]+", "("] }';
	await rig.write('.tmp/task/p/manifest.yaml', `task_id: p\ngoal: g\ntask_type: explore\n${patterns}\n${line}\n`);
	const looks = [
		'validate',
		'validate p',
		'plan p',
		'run p',
		'show p',
		'compose p explore',
		'budget p --paid-calls 2',
		'validate p --json',
	];
	for (const args of looks) {
		const { stdout, stderr } = await rig.dispatch(...args.split(' '));
		const shown = stdout + stderr;
		if (!args.endsWith('--json')) expect(shown, args).toContain('gool: "use [REDACTED], not [REDACTED]"');
		for (const secret of [key, own]) expect(shown, args).not.toContain(secret);
	}
});

test.concurrent('a secret in an acceptance command reaches no console, with --json neither', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', `cat > /dev/null; echo "PASS"`);
	await rig.packet('p', {
		routing: { intent: 'check' },
		acceptance: { commands: [`: ${key} ${own}`] },
		security: { redaction_patterns: ['hunter2-\\d+'] },
	});
	await rig.write('configs/pipeline/task.yaml', 'profiles: { check: { stages: [zoo_verify] } }\n');
	for (const args of [
		['run', 'p', '--json'],
		['run', 'p', '--fresh'],
	]) {
		const ran = await rig.dispatch(...args);
		expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
		expect(ran.stdout).toContain('acceptance: : [REDACTED] [REDACTED]');
		for (const secret of [key, own]) expect(ran.stdout + ran.stderr).not.toContain(secret);
	}
});

test.concurrent('a secret that a servant says is redacted in the summary, on the console, in the reason and in the log', async () => {
	await using rig = await Rig.create();
	await rig.textServant('zoo', `cat > /dev/null; echo "first ${own}" >&2; echo "bad key ${key} and ${own}" >&2; exit 3`);
	await rig.packet('p', { ...explore, security: { redaction_patterns: ['hunter2-\\d+'] } });
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).not.toBe(0);
	const shown = ran.stdout + ran.stderr + (await rig.summary('p')) + (await rig.read('.tmp/task/p/state/last_failure.json'));
	expect(shown).toContain('bad key [REDACTED]');
	expect(ran.stdout, 'the tail of the log').toMatch(/^ +first \[REDACTED\]$/m);
	for (const secret of [key, own]) {
		expect(shown).not.toContain(secret);
		expect(await rig.read('.tmp/task/p/outputs/zoo_explore.zoo.wrapper.log')).not.toContain(secret);
		expect(await rig.read('.tmp/task/p/state/events.jsonl')).not.toContain(secret);
	}
});

const writing = { routing: { intent: 'only_impl' }, workspace: 'inplace', scope: { allow: ['src/**'], deny: ['src/secret/**', '.env'] } };

async function writingRig(script: string): Promise<Rig> {
	const rig = await Rig.create();
	await rig.write('.gitignore', '.tmp/\n.env\nignored/\n');
	await rig.write('lib/b.txt', 'b\n');
	await rig.write('src/secret/s.txt', 's\n');
	await rig.write('configs/pipeline/impl.yaml', 'profiles:\n  only_impl:\n    stages: [codex_impl]\n');
	await rig.write('.env', 'A=1\n');
	await rig.sh('git add -A && git commit -q -m more');
	await rig.servant('codex', codexSays(answers.impl!, script));
	return rig;
}

test.concurrent.each<[string, string, string[]]>([
	['writes outside', 'echo x > lib/new.txt', ['lib/new.txt']],
	['changes a file outside', 'echo x >> lib/b.txt', ['lib/b.txt']],
	['stages a file outside', 'echo x > lib/n.txt; git add lib/n.txt', ['lib/n.txt']],
	[
		'stages a change and takes it back from the tree',
		'echo x >> lib/b.txt; git add lib/b.txt; git show HEAD:lib/b.txt > lib/b.txt',
		['lib/b.txt'],
	],
	['moves a file out', 'git mv src/a.txt lib/a.txt', ['lib/a.txt']],
	['moves a file in', 'git mv lib/b.txt src/b.txt', ['lib/b.txt']],
	['deletes a file outside', 'rm lib/b.txt; echo x >> src/a.txt', ['lib/b.txt']],
	['writes what is denied', 'echo x >> src/secret/s.txt', ['src/secret/s.txt']],
	['writes what is denied in other letters', 'mkdir -p src/SECRET; echo x > src/SECRET/s.txt', ['src/SECRET/s.txt']],
	['writes a denied file that git ignores', 'echo x >> .env; echo x >> src/a.txt', ['.env']],
	['commits outside', 'echo x > lib/c.txt; git add -A; git -c user.name=x -c user.email=x@x commit -q -m x', ['lib/c.txt']],
	['links out of the tree', 'ln -s /etc/passwd src/link; echo x >> src/a.txt', ['src/link']],
	['links to what is denied', 'ln -s secret/s.txt src/link; echo x >> src/a.txt', ['src/link']],
	[
		'makes a repository within',
		'mkdir lib/sub; git -C lib/sub init -q; echo x > lib/sub/f; git -C lib/sub add -A; git -C lib/sub -c user.name=x -c user.email=x@x commit -q -m x',
		['lib/sub'],
	],
	[
		'plants a hook',
		'echo "touch $SEEN/hooked" > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; echo x >> src/a.txt',
		['.git/hooks/post-commit'],
	],
	['steers git', 'git config core.fsmonitor "touch $SEEN/hooked"; echo x >> src/a.txt', ['.git/config']],
	['hides a change from git', 'git update-index --assume-unchanged lib/b.txt; echo x >> lib/b.txt; echo x >> src/a.txt', ['lib/b.txt']],
	['changes its own manifest', 'sed -i "s/src/lib/" .tmp/task/p/manifest.yaml; echo x >> src/a.txt', ['.tmp/task/p/manifest.yaml']],
	[
		'leaves a child that writes later',
		`(setsid sh -c 'sleep 0.4; echo x > lib/late.txt; sleep 30' > /dev/null 2>&1 &) ; sleep 0.6; echo x >> src/a.txt`,
		['lib/late.txt'],
	],
	[
		'uses names made to confuse',
		`printf x > "lib/a\\nb -> c"; printf x > 'lib/"q" \\'; printf x > "$(printf 'lib/\\033[2J\\377')"`,
		['lib/'],
	],
])('a servant that %s is caught, and nothing is touched', async (_name, script, paths) => {
	await using rig = await writingRig(script);
	await rig.packet('p', writing);
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout + ran.stderr).toBe(1);
	const failure = await rig.lastFailure('p');
	expect(failure.class, failure.reason).toBe('scope_violation');
	for (const path of paths) expect(failure.reason).toContain(path);
	expect(rig.seen('hooked')).toEqual([]);
	expect(rig.has('.tmp/task/p/done/codex_impl.done')).toBe(false);
	expect(rig.seenFiles()).not.toContain('hooked');
});

test.concurrent('a child that would write after the answer is ended before it can', async () => {
	await using rig = await writingRig(`(setsid sh -c 'sleep 3; echo x > lib/late.txt' > /dev/null 2>&1 &); sleep 0.3; echo x >> src/a.txt`);
	await rig.packet('p', writing);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.living()).toEqual([]);
	expect(rig.has('lib/late.txt')).toBe(false);
});

test.concurrent('what lies within scope passes, ignored files that nobody denied included', async () => {
	await using rig = await writingRig('mkdir -p ignored src/new; echo x > ignored/cache; echo x > src/new/f.txt; rm src/a.txt');
	await rig.packet('p', writing);
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout).toBe(0);
	expect(await rig.read('.tmp/task/p/outputs/codex_impl.patch')).toContain('src/new/f.txt');
});

test.concurrent('a reader that writes is caught, also by a diff in its answer that nobody applies', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(answers.review!, 'echo x >> src/a.txt'));
	await rig.packet('p', { task_type: 'review', provider: 'codex' });
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(1);
	expect((await rig.lastFailure('p')).class).toBe('scope_violation');
	expect(await rig.read('src/a.txt')).toBe('one\nx\n');
});

test.concurrent.each([
	['climbs out of the tree', '--- a/src/a.txt\n+++ b/../../outside.txt\n@@ -1 +1 @@\n-one\n+two\n'],
	['writes into .git', '--- /dev/null\n+++ b/.git/hooks/post-checkout\n@@ -0,0 +1 @@\n+touch x\n'],
	['writes what is denied', '--- a/src/secret/s.txt\n+++ b/src/secret/s.txt\n@@ -1 +1 @@\n-s\n+t\n'],
	[
		'goes through a link',
		'diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\ndiff --git a/src/l/x b/src/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/src/l/x\n@@ -0,0 +1 @@\n+x\n',
	],
])('a diff in an answer that %s is not applied', async (_name, diff) => {
	await using rig = await writingRig('true');
	await rig.servant('codex', codexSays(`Here it is.\n\n\`\`\`diff\n${diff}\`\`\`\n`));
	await rig.packet('p', { ...writing, budgets: { retry_budget: 0 } });
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout).toBe(1);
	expect((await rig.sh('git status --porcelain')).stdout).toBe('');
	expect(rig.has('../outside.txt')).toBe(false);
	expect(rig.has('.git/hooks/post-checkout')).toBe(false);
});

async function briefThenVerify(commands: string, allow: string[], before = ''): Promise<Rig> {
	const rig = await Rig.create();
	await rig.write('configs/pipeline/impl.yaml', 'profiles:\n  brief_verify:\n    stages: [gemini_brief, codex_verify]\n');
	await rig.write('configs/dispatch.yaml', `verify:\n  allow_commands: ${JSON.stringify(allow)}\n`);
	await rig.servant(
		'gemini',
		geminiSays(answers.brief!.replace('\ntrue\n', `\n${commands.replaceAll('SEEN', join(rig.base, 'seen'))}\n`), before),
	);
	await rig.servant('codex', codexSays(answers.verify!));
	await rig.packet('p', { routing: { intent: 'brief_verify' }, acceptance: { commands: [`echo own >> ${rig.base}/seen/ran`] } });
	return rig;
}

test.concurrent.each([
	['is not in the list', 'echo model >> SEEN/ran', []],
	['only begins like an allowed one', 'npm test; echo model >> SEEN/ran', ['npm test.*']],
	['has a line of its own smuggled in', 'npm test\necho model >> SEEN/ran', ['npm test']],
	['substitutes', 'echo "$(echo model >> SEEN/ran)"', ['echo .*']],
])("a model's command that %s does not run, is named in the summary, and the manifest's own run", async (_name, command, allow) => {
	await using rig = await briefThenVerify(command, allow);
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout).toBe(0);
	expect(rig.seen('ran')).toEqual(['own']);
	expect((await rig.summary('p')).replaceAll(/\s+/g, ' ')).toContain('model >>');
	expect(rig.has('.tmp/task/p/state/acceptance.commands.override')).toBe(false);
});

test.concurrent("a model's command that is allowed runs in place of the manifest's", async () => {
	await using rig = await briefThenVerify('echo model >> SEEN/ran', []);
	await rig.write('configs/dispatch.yaml', `verify:\n  allow_commands: [${JSON.stringify(`echo model >> ${rig.base}/seen/ran`)}]\n`);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.seen('ran')).toEqual(['model']);
});

test.concurrent('a servant that writes the commands itself, past the list, is not obeyed', async () => {
	await using rig = await briefThenVerify('true', []);
	await rig.write('.tmp/task/p/state/acceptance.commands.override', `echo planted >> ${rig.base}/seen/ran\n`);
	await rig.write('configs/pipeline/impl.yaml', 'profiles:\n  brief_verify:\n    stages: [codex_verify]\n');
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout).toBe(0);
	expect(rig.seen('ran')).toEqual(['own']);
});

test.concurrent('what servants answered is readable by nobody else, under whatever name it is kept', async () => {
	await using rig = await briefThenVerify('true', []);
	await rig.servant('gemini', geminiSays(answers.brief!.replace('text 7', 'text of nobody else')));
	await rig.servant('codex', codexSays('Report of nobody else.\n\nPASS\n'));
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	const told = (await rig.sh("grep -rl 'of nobody else' .tmp/task/p")).stdout.trim().split('\n');
	expect(told).toContain('.tmp/task/p/inputs/context_pack.md');
	expect(told).toContain('.tmp/task/p/outputs/codex_verify.artifact.md');
	expect(told.filter((path) => (statSync(join(rig.root, path)).mode & 0o077) !== 0)).toEqual([]);
});
