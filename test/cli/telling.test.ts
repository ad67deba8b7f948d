import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, codexSays, Rig, say } from '../rig.ts';

test('what a failed acceptance command said stands in the summary, in show and on the console', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`));
	await rig.packet('t1', { routing: { intent: 'codex_only' }, acceptance: { commands: ['echo "expected 3, got 4"; exit 3'] } });
	const ran = await rig.dispatch('run', 't1');
	expect(ran.stdout).toContain('expected 3, got 4\n');
	expect(await rig.summary('t1')).toContain('\nexpected 3, got 4\n');
	expect((await rig.dispatch('show', 't1')).stdout).toContain('\nexpected 3, got 4\n');
});

test('while its first stage runs, a packet tells in every place that it was called', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `while [ ! -e "$SEEN/go" ]; do sleep 0.05; done\n${say(answers.explore!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('t1', { task_type: 'explore' });
	const run = rig.start(['run', 't1']);
	await rig.until(
		'the summary tells of the call',
		async () => rig.has('.tmp/task/t1/outputs/_summary.md') && /paid calls 1 \//.test(await rig.summary('t1')),
	);
	expect((await rig.stats('t1')).paid_calls_used).toBe(1);
	expect((await rig.dispatch('show', 't1')).stdout).toMatch(/\*\*in_progress\*\*: Running: mine_explore; .*\n(.*\n)*.*paid calls 1 \//);
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
});

test('a stage answers to the name its profile gives it; changed inputs of a completed packet are told, archived calls still counted', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('t1', { task_type: 'explore' }, { 'user_request.md': 'one' });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect((await rig.dispatch('plan', 't1', '--explain', 'explore')).stdout).toContain('mine_explore');
	expect((await rig.dispatch('compose', 't1', 'explore')).stdout).toContain('Goal of t1');
	expect((await rig.dispatch('logs', 't1', 'explore')).stdout).toContain('mine_explore, attempt 1');
	await rig.write('.tmp/task/t1/inputs/user_request.md', 'two');
	expect((await rig.dispatch('run', 't1')).stdout).toContain('inputs changed since mine_explore ran');
	expect(await rig.dispatch('run', 't1', '--from', 'explore')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('completed') });
	expect((await rig.stats('t1')).paid_calls_used).toBe(2);
	const before = (await rig.dispatch('stats', '--json')).stdout;
	expect((await rig.dispatch('archive', 't1')).exitCode).toBe(0);
	expect(JSON.parse((await rig.dispatch('stats', '--json')).stdout)).toEqual(JSON.parse(before));
});

test('a stage that has not been called is known before the first run, and followed when its turn comes', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `echo begin >> "$SEEN/log"\nwhile [ ! -e "$SEEN/go" ]; do sleep 0.02; done\n${say('It holds one file.')}`);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.write('configs/pipeline/two.yaml', 'profiles:\n  two:\n    stages: [explore, explore-2]\n');
	await rig.packet('t1', { task_type: 'explore', routing: { intent: 'two' } });
	for (const stage of ['explore', 'mine_explore-2'])
		expect(await rig.dispatch('logs', 't1', stage)).toMatchObject({
			exitCode: 0,
			stderr: expect.stringMatching(/^mine_explore.* has not been called yet\n$/),
		});
	expect(await rig.dispatch('logs', 't1', 'nope')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('mine_explore') });
	const run = rig.start(['run', 't1']);
	await rig.until('the first stage runs', () => rig.seen('log').length === 1);
	const logs = rig.start(['logs', 't1', 'explore-2', '-f']);
	// Long enough for it to look once; it would have ended.
	await new Promise((resolve) => setTimeout(resolve, 500));
	expect(logs.child.exitCode).toBeNull();
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
	const { exitCode, stdout } = await logs.ended;
	expect(exitCode).toBe(0);
	expect(stdout).toContain('mine_explore-2, attempt 1\n');
	expect(stdout).toContain('It holds one file.\n');
});

test('a private key that comes line by line is not shown by logs -f', async () => {
	await using rig = await Rig.create();
	const line = (n: number) => `${n}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0`;
	const key = [`-----BEGIN ${'RSA'} PRIVATE KEY-----`, line(1), line(2), `-----END ${'RSA'} PRIVATE KEY-----`];
	const wait = 'while [ ! -e "$SEEN/go" ]; do sleep 0.02; done';
	const say = (...lines: string[]) => `printf '${lines.join('\\n')}\\n' >&2`;
	const later = say(...key.slice(2).map((text) => text.replace(/^-/, '\\055')), 'after');
	await rig.textServant('mine', `cat > /dev/null\n${say('before', ...key.slice(0, 2))}\n${wait}\n${later}\necho It holds one file.`);
	await rig.packet('t1', { task_type: 'explore', provider: 'mine' });
	const run = rig.start(['run', 't1']);
	await rig.until('the key has begun', () => rig.has('.tmp/task/t1/outputs/attempts/mine_explore/1/err'));
	const logs = rig.start(['logs', 't1', 'explore', '-f']);
	let shown = '';
	logs.child.stdout?.on('data', (text: string) => {
		shown += text;
	});
	await rig.until('what stands before the key is shown', () => shown.includes('before\n'));
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
	expect((await logs.ended).stdout).toContain('[REDACTED]\nafter\n');
	expect((await logs.ended).stdout).not.toContain(line(2).slice(1));
});

test('a worktree that cannot be prepared needs a human, and summary, status and exit code say so', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.impl!));
	await rig.write('configs/dispatch.yaml', "provider: mine\nworktree_setup: ['echo no lockfile; exit 9']\n");
	await rig.packet('t1', { task_type: 'implement', scope: { allow: ['**'] } });
	const ran = await rig.dispatch('run', 't1');
	expect(ran).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('no lockfile') });
	expect(await rig.summary('t1')).toMatch(
		/^status: needs_human\n(.*\n)*next_action: "fix_workspace: make worktree_setup succeed in \.tmp\/worktree\/t1: echo no lockfile; exit 9, then dispatch run t1"\n(.*\n)*.*no lockfile\n/m,
	);
	expect(JSON.parse((await rig.dispatch('show', 't1', '--json')).stdout)).toMatchObject({ status: 'needs_human' });
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.dispatch('run', 't1');
	expect((await rig.events('t1')).map((event) => event.type)).toContain('stage_started');
});

/** A PATH with everything but git. */
const withoutGit = async (rig: Rig) => {
	await rig.sh('ln -s $(ls -d /bin/* /usr/bin/* | grep -v "/git$") "$HOME/../bin/" 2> /dev/null');
	return { PATH: join(rig.base, 'bin') };
};

test('without git on PATH nothing is paid, and it is git that is asked for, not a commit', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!), { paid: true });
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('w', { task_type: 'implement', scope: { allow: ['**'] } });
	await rig.packet('r', { task_type: 'explore' });
	const env = await withoutGit(rig);
	for (const id of ['w', 'r']) {
		expect(await rig.start(['run', id], { env }).ended, id).toMatchObject({
			exitCode: 6,
			stderr: expect.stringContaining(`${id}: git was not found on PATH\n`),
		});
		expect(await rig.summary(id)).toContain(`next_action: "fix_workspace: install git or put it on PATH, then dispatch run ${id}"`);
		expect((await rig.stats(id)).paid_calls_used).toBe(0);
	}
	expect((await rig.start(['add', 'd', 'Look', '--type', 'review', '--diff'], { env }).ended).stderr).toContain(
		'git was not found on PATH',
	);
	expect((await rig.start(['plan', 'w'], { env }).ended).stdout).toContain('git was not found on PATH');
	expect((await rig.start(['init'], { env }).ended).stdout).toContain('\ngit was not found on PATH: ');
	const doctor = await rig.start(['doctor'], { env }).ended;
	expect(doctor).toMatchObject({ exitCode: 6, stdout: expect.stringMatching(/\n {2}git: install git or put it on PATH\n/) });
	expect(doctor.stdout).toMatch(/^git: not found on PATH$/m);
	expect(JSON.parse((await rig.start(['doctor', '--json'], { env }).ended).stdout)).toMatchObject({
		ok: false,
		git: { path: null, version: null },
	});
});

test('before the first commit plan says what a worktree lacks, and the run gives the command', async () => {
	await using rig = await Rig.create({ git: false });
	await rig.sh('git init -q -b main . && git config user.name Tester && git config user.email tester@example.invalid');
	await rig.textServant('mine', say(answers.impl!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('w', { task_type: 'implement', scope: { allow: ['**'] } });
	const warning = 'the repository has no commit yet; a worktree needs one to start from: run git commit --allow-empty -m start';
	expect((await rig.dispatch('plan', 'w')).stdout).toContain(warning);
	expect((await rig.dispatch('run', 'w')).exitCode).toBe(6);
	expect(await rig.summary('w')).toContain('next_action: "fix_workspace: run git commit --allow-empty -m start, then dispatch run w"');
	await rig.sh('git commit -q --allow-empty -m start');
	await rig.dispatch('run', 'w');
	expect((await rig.events('w')).map((event) => event.type)).toContain('stage_started');
});

test("what is not committed is not in a packet's own worktree, and plan, run and summary say so", async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `echo new > src/new.txt\n${say(answers.impl!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('w', { task_type: 'implement', scope: { allow: ['**'] } });
	await rig.sh('git add -A && git commit -q -m more');
	const warning = 'uncommitted changes are not in a new worktree, which begins at the last commit: src/a.txt, src/b.txt';
	expect((await rig.dispatch('plan', 'w')).stdout).not.toContain('uncommitted');
	await rig.write('src/a.txt', 'two\n');
	await rig.write('src/b.txt', 'new\n');
	expect((await rig.dispatch('plan', 'w')).stdout).toContain(warning);
	expect((await rig.dispatch('run', 'w')).stdout).toContain(`warning: ${warning}\n`);
	expect(await rig.summary('w')).toContain(`- ${warning}\n`);
	expect((await rig.dispatch('plan', 'w')).stdout).not.toContain('uncommitted');
});

test('a review of merged work begins no worktree, so nothing can be missing in it', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `echo new > "src/$$.txt"\n${say(answers.impl!)}`);
	await rig.textServant('looker', say(answers.review!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.sh('git add -A && git commit -q -m more');
	for (const id of ['w', 'x']) await rig.packet(id, { task_type: 'task', scope: { allow: ['**'] } });
	await rig.packet('v', { task_type: 'review', based_on: 'w', provider: 'looker' });
	expect((await rig.dispatch('run', 'w', 'x', 'v')).exitCode).toBe(0);
	await rig.sh('git merge -q dispatch/w');
	expect((await rig.dispatch('archive', 'w')).stdout).toContain('w → .tmp/archive/w');
	await rig.write('src/a.txt', 'two\n');
	expect(await rig.dispatch('validate')).toMatchObject({
		exitCode: 0,
		stdout: 'configuration, templates and 2 packets: valid\n',
		stderr: '',
	});
});

test('outside git a packet that writes is invalid, and one that reads is warned of', async () => {
	await using rig = await Rig.create({ git: false });
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('w', { task_type: 'implement', scope: { allow: ['**'] } });
	await rig.packet('r', { task_type: 'explore' });
	for (const command of ['plan', 'validate', 'run']) {
		expect(await rig.dispatch(command, 'w'), command).toMatchObject({
			exitCode: 3,
			stderr: expect.stringContaining('not a git repository'),
		});
	}
	expect(await rig.summary('w')).toMatch(/^status: invalid\n(.*\n)*.*not a git repository/m);
	expect(await rig.dispatch('run', 'r')).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining('warning: not in a git repository'),
	});
});

test('a packet whose plan a run found invalid is not taken for a pending one, until what was wrong is changed', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('t1', { routing: { intent: 'no_such_intent' } });
	const statuses = async () => [
		JSON.parse((await rig.dispatch('status', '--json')).stdout).packets.map((one: { status: string }) => one.status),
		JSON.parse((await rig.dispatch('show', 't1', '--json')).stdout).status,
		/^status: (.*)$/m.exec((await rig.dispatch('show', 't1')).stdout)?.[1],
	];
	expect(await statuses()).toEqual([['pending'], 'pending', 'pending']);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(3);
	expect(await statuses()).toEqual([['invalid'], 'invalid', 'invalid']);
	expect((await rig.dispatch('next')).stdout).not.toContain('Goal of t1');
	await rig.packet('t1', { task_type: 'explore' });
	expect(await statuses()).toEqual([['pending'], 'pending', 'pending']);
});

/** What the queue thinks of a packet. */
const statusOf = async (rig: Rig, id: string): Promise<string> =>
	JSON.parse((await rig.dispatch('status', '--json')).stdout).packets.find((one: { task_id: string }) => one.task_id === id).status;

test('an invalid packet names its intent before a run has found it invalid, as after it', async () => {
	await using rig = await Rig.create();
	await rig.packet('t1', { routing: { intent: 'review_only' }, gaol: 'x' });
	const before = (await rig.dispatch('show', 't1')).stdout;
	expect(before).toContain('status: invalid\nintent: review_only\n');
	await rig.dispatch('run', 't1');
	const withoutTime = (text: string) => text.replace(/^updated: .*$/m, '');
	expect(withoutTime((await rig.dispatch('show', 't1')).stdout)).toBe(withoutTime(before));
});

test('a wrong variable or flag says nothing about the packet, nor does what only follows from one', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.packet('a', { task_type: 'explore' });
	await rig.packet('b', { task_type: 'explore', model: 'sonnet' });
	const env = { DISPATCH_PROVIDER: 'nope' };
	const unknown = expect.stringContaining('DISPATCH_PROVIDER  error  unknown servant "nope"');
	expect(await rig.start(['watch', '--once'], { env }).ended).toMatchObject({ exitCode: 3, stderr: unknown });
	expect(await rig.dispatch('run', 'b', '--provider', 'codex')).toMatchObject({
		exitCode: 3,
		stderr: expect.stringContaining('manifest.yaml:4:8  error  '),
	});
	for (const id of ['a', 'b']) expect([rig.has(`.tmp/task/${id}/outputs`), await statusOf(rig, id)]).toEqual([false, 'pending']);

	expect((await rig.dispatch('run', 'a')).exitCode).toBe(0);
	const before = await rig.summary('a');
	expect(await rig.start(['run', 'a'], { env }).ended).toMatchObject({ exitCode: 3, stderr: unknown });
	expect(await rig.summary('a')).toBe(before);

	// What is wrong with the packet itself is told all the same, and nothing else.
	await rig.packet('c', { task_type: 'explore', provider: 'nobody' });
	expect((await rig.start(['run', 'c'], { env }).ended).exitCode).toBe(3);
	expect(await rig.summary('c')).toContain('unknown servant "nobody"');
	expect(await rig.summary('c')).not.toContain('DISPATCH_PROVIDER');
});

test('a packet found invalid is looked at again when anything it was judged by has changed', async () => {
	await using rig = await Rig.create({ git: false });
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/servant/mine.yaml', 'command: mine-cli\nargs: []\nprompt: stdin\noutput: text\n');
	await rig.packet('a', { task_type: 'explore', provider: 'mine' });
	const mine = '../home/.config/dispatch/dispatch.yaml';
	const faults: [what: string, make: string, mend: string][] = [
		["a key of the user's file", `mkdir -p ../home/.config/dispatch; echo 'provder: x' > ${mine}`, `echo 'provider: mine' > ${mine}`],
		["the user's folder", `echo 'provder: x' > ${mine}`, 'rm -r ../home/.config/dispatch'],
		['a file where a folder should be', 'rmdir ../home/.config; touch ../home/.config', 'rm ../home/.config; mkdir ../home/.config'],
		["the project's file", "echo 'provder: x' > configs/dispatch.yaml", 'rm configs/dispatch.yaml'],
		['a template', 'mkdir -p templates/roles; echo "---\naccess: x\n---" > templates/roles/explore.md', 'rm -r templates'],
		[
			'an older manifest',
			'cp -p .tmp/task/a/manifest.yaml old; echo x: 1 >> .tmp/task/a/manifest.yaml',
			'mv old .tmp/task/a/manifest.yaml',
		],
		[
			'git',
			'sed -i s/explore/implement/ .tmp/task/a/manifest.yaml; echo "scope: {allow: [a]}" >> .tmp/task/a/manifest.yaml',
			'git init -q .',
		],
	];
	for (const [what, make, mend] of faults) {
		await rig.sh(make);
		expect([what, (await rig.dispatch('run', 'a')).exitCode, await statusOf(rig, 'a')]).toEqual([what, 3, 'invalid']);
		await rig.sh(mend);
		expect([what, await statusOf(rig, 'a')]).toEqual([what, 'pending']);
	}
});

test('a packet found to be in a circle is looked at again when another packet of it has changed', async () => {
	await using rig = await Rig.create();
	await rig.packet('a', { task_type: 'explore', depends_on: 'b' });
	await rig.packet('b', { task_type: 'explore', depends_on: 'c' });
	await rig.packet('c', { task_type: 'explore', depends_on: 'a' });
	expect((await rig.dispatch('run', 'a')).exitCode).toBe(3);
	expect(await statusOf(rig, 'a')).toBe('invalid');
	await rig.packet('c', { task_type: 'explore' });
	expect(await statusOf(rig, 'a')).toBe('pending');
});

test('a warning of the configuration is told on one line, once called a warning', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', say(answers.explore!));
	await rig.write('configs/dispatch.yaml', 'max_turns: 5\nprovider: mine\n');
	await rig.packet('a', { task_type: 'explore' });
	const lines = (await rig.dispatch('run', 'a')).stdout.split('\n').filter((line) => line.includes('max_turns'));
	expect(lines).toEqual(['warning: configs/dispatch.yaml:1:1 max_turns is deprecated; use max_steps']);
});

test('whoever runs a review again brings its word to the packet it is about; while that is held, show knows it', async () => {
	await using rig = await Rig.create();
	await rig.textServant('writer', `cat > /dev/null\necho two >> src/a.txt\n${say(answers.impl!)}`);
	await rig.textServant('critic', `cat > /dev/null\n[ -e "$SEEN/good" ] || exit 3\n${say(answers.review!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: writer\ntask_providers:\n  review: critic\n');
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	await rig.packet('t1', { task_type: 'implement', routing: { intent: 'one' }, scope: { allow: ['**'] }, create_review: true });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await rig.summary('t1')).toContain('- review: t1-review failed, no verdict');
	await rig.let('good');
	const lock = { pid: process.pid, start_time: '1', boot_id: 'b', pid_namespace: 'n', host: 'far', token: 'abcdef0123456789' };
	await rig.write('.tmp/task/t1/state/lock', JSON.stringify({ ...lock, since: '2026-01-01T00:00:00Z', command: 'dispatch run t1' }));
	expect((await rig.dispatch('retry', 't1-review')).exitCode).toBe(0);
	expect(await rig.summary('t1')).toContain('- review: t1-review failed, no verdict');
	const approved = /next_action: "merge: git merge dispatch\/t1"\n(.*\n)*- review: t1-review completed, verdict APPROVED/;
	expect((await rig.dispatch('show', 't1')).stdout).toMatch(approved);
	await rig.sh('rm .tmp/task/t1/state/lock');
	expect((await rig.dispatch('run', 't1-review', '--fresh')).stdout).toContain('t1: review: t1-review completed, verdict APPROVED');
	expect(await rig.summary('t1')).toMatch(approved);
	expect(rig.has('.tmp/task/t1/state/lock')).toBe(false);
});

test('a review is told scope and criteria of the packet it is about, and what nobody stated is not called nothing', async () => {
	await using rig = await Rig.create();
	await rig.textServant('mine', `case "$(cat)" in *'# Review for'*) ;; *) echo two >> src/a.txt ;; esac\n${say(answers.review!)}`);
	await rig.write('configs/dispatch.yaml', 'provider: mine\n');
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	const asked = { scope: { allow: ['src/**'] }, acceptance: { criteria: ['a.txt has two lines'] } };
	await rig.packet('t1', { task_type: 'implement', routing: { intent: 'one' }, create_review: true, ...asked });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	const told = 'Criteria the change was made for:\n- a.txt has two lines\n\nIt was allowed to touch:\n- src/**\n';
	expect(await rig.read('.tmp/task/t1-review/inputs/prompt/mine.review.md')).toContain(told);
	expect((await rig.dispatch('compose', 't1-review', 'mine_review')).stdout).toContain(told);
	await rig.packet('lone', { task_type: 'review' });
	expect((await rig.dispatch('compose', 'lone', 'mine_review')).stdout).toContain('It was allowed to touch:\n- (not stated)\n');
});

test('wait waits for the review of the run too, and offers to merge only what it approved', async () => {
	await using rig = await Rig.create();
	const review = answers.review!.replace('APPROVED', 'CHANGES_REQUESTED');
	await rig.textServant(
		'writer',
		`cat > /dev/null; echo two >> src/a.txt; until [ -e "$SEEN/write" ]; do sleep 0.02; done\n${say(answers.impl!)}`,
	);
	await rig.textServant('critic', `cat > /dev/null; until [ -e "$SEEN/go" ]; do sleep 0.02; done\n${say(review)}`);
	await rig.write('configs/dispatch.yaml', 'provider: writer\ntask_providers:\n  review: critic\n');
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	await rig.packet('t1', { task_type: 'implement', routing: { intent: 'one' }, scope: { allow: ['**'] }, create_review: true });
	const run = rig.start(['run', 't1']);
	await rig.until('it runs', () => rig.has('.tmp/task/t1/state/lock'));
	const early = rig.start(['wait', 't1', '--json']);
	await rig.let('write');
	await rig.until('the review runs', () => rig.has('.tmp/task/t1-review/state/lock'));
	expect(await rig.dispatch('wait', 't1', '--timeout', '0', '--json')).toMatchObject({
		exitCode: 5,
		stdout: expect.stringContaining('"status": "in_progress"'),
	});
	await rig.let('go');
	for (const waited of [await early.ended, await rig.dispatch('wait', 't1', '--json')]) {
		expect(waited.exitCode).toBe(0);
		expect(JSON.parse(waited.stdout)).toMatchObject({
			status: 'completed',
			next_action: 'read_review: dispatch show t1-review, before anything is merged',
		});
	}
	expect((await run.ended).exitCode).toBe(0);
});

test('a packet tells what its review found, and offers to merge only what was approved', async () => {
	await using rig = await Rig.create();
	const review = answers.review!.replace('APPROVED', 'CHANGES_REQUESTED');
	await rig.textServant('writer', `cat > /dev/null\necho two >> src/a.txt\n${say(answers.impl!)}`);
	await rig.textServant('critic', `cat > /dev/null\nif [ -e "$SEEN/good" ]; then\n${say(answers.review!)}\nelse\n${say(review)}\nfi`);
	await rig.write('configs/dispatch.yaml', 'provider: writer\ntask_providers:\n  review: critic\n');
	await rig.write('configs/pipeline/one.yaml', 'profiles:\n  one:\n    stages: [impl]\n');
	await rig.packet('t1', { task_type: 'implement', routing: { intent: 'one' }, scope: { allow: ['**'] }, create_review: true });
	const ran = await rig.dispatch('run', 't1');
	expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('t1: review: t1-review completed, verdict CHANGES_REQUESTED') });
	for (const text of [await rig.summary('t1'), (await rig.dispatch('show', 't1')).stdout]) {
		expect(text).toMatch(/^status: completed\n(.*\n)*next_action: "read_review: dispatch show t1-review,/m);
		expect(text).toContain(
			'- review: t1-review completed, verdict CHANGES_REQUESTED (read .tmp/task/t1-review/outputs/_summary.md before merging)',
		);
	}
	expect(JSON.parse((await rig.dispatch('show', 't1', '--json')).stdout).next_action).toMatch(/^read_review: /);
	await rig.dispatch('run', 't1');
	expect(await rig.summary('t1')).toContain('read_review: ');
	await rig.let('good');
	expect((await rig.dispatch('run', 't1', '--fresh')).exitCode).toBe(0);
	expect(await rig.summary('t1')).toMatch(
		/next_action: "merge: git merge dispatch\/t1"\n(.*\n)*- review: t1-review-2 completed, verdict APPROVED/,
	);
});
