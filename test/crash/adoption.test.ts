import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begun, explore, queueRig } from '../cli/queue-rig.ts';
import { answers, codexSays, geminiSays, Rig } from '../rig.ts';
import { filesBelow, operationsOf, runWith } from './scenario.ts';

const waits = 'echo one >> "$SEEN/started"; until [ -e "$SEEN/go" ]; do sleep 0.02; done';

/** One stage whose servant waits until it is let go. */
async function waitingRig(budgets: object = {}): Promise<Rig> {
	const rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!, waits));
	await rig.packet('p', { routing: { intent: 'review_only' }, budgets });
	return rig;
}

const hasEvent = async (rig: Rig, type: string, adopted?: boolean): Promise<boolean> =>
	rig.has('.tmp/task/p/state/events.jsonl') &&
	(await rig.events('p')).some(
		(event) => event.type === type && (adopted === undefined || ('adopted' in event && event.adopted === adopted)),
	);

const record = '.tmp/task/p/outputs/attempts/gemini_review/1/record';
const hasExited = async (rig: Rig): Promise<boolean> => rig.has(record) && (await rig.read(record)).includes('exit ');

async function killedWhileItRuns(rig: Rig): Promise<void> {
	const first = rig.start(['run', 'p']);
	await rig.until('the servant runs', () => rig.seen('started').length === 1);
	first.child.kill('SIGKILL');
	await first.ended;
}

test('killed at each event of the journal, a run is continued with one call: followed, collected, or given back and made', async () => {
	await using undisturbed = await waitingRig();
	await undisturbed.let('go');
	const operations = await operationsOf(undisturbed);
	const appends = operations.flatMap((name, n) => (name === 'write task/p/state/events.jsonl' ? [n + 1] : []));
	const types = (await undisturbed.events('p')).map((event) => event.type);
	expect(types).toEqual(['run_started', 'stage_reserved', 'stage_started', 'stage_collected', 'stage_finished', 'run_finished']);
	const told = { adopted: 0, returned: 0 };

	for (const [n, at] of appends.entries()) {
		await using rig = await waitingRig();
		const beforeItsEnd = n < 3;
		if (!beforeItsEnd) await rig.let('go');
		const killed = await runWith(rig, { mode: 'kill-after', at });
		expect(killed.signal).toBe('SIGKILL');
		const lives = rig.living().length > 0;

		const next = rig.start(['run', 'p']);
		if (beforeItsEnd) {
			await rig.until('the servant runs, and is followed', async () => {
				if (await hasEvent(rig, 'stage_started', true)) return true;
				return rig.seen('started').length === 1 && (!lives || (await hasEvent(rig, 'stage_collected')));
			});
			await rig.let('go');
		}
		const ran = await next.ended;

		const events = await rig.events('p');
		told.adopted += events.filter((event) => event.type === 'stage_started' && event.adopted).length;
		told.returned += events.filter((event) => event.type === 'stage_collected' && event.call === 'returned').length;
		expect({
			at: killed.hit,
			exit: ran.exitCode,
			calls: rig.seen('calls').length,
			counted: (await rig.stats('p')).paid_calls_used,
		}).toEqual({
			at: killed.hit,
			exit: 0,
			calls: 1,
			counted: 1,
		});
		expect(rig.living()).toEqual([]);
	}
	console.log(
		`kills at events: ${appends.length} appends to the journal, ${told.adopted} servants adopted alive, ${told.returned} calls given back`,
	);
	expect(told.returned).toBeGreaterThan(0);
});

test('a servant that outlived its dispatcher is followed to its end by the next run', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	const next = rig.start(['run', 'p']);
	await rig.until('it is adopted', () => hasEvent(rig, 'stage_started', true));
	await rig.let('go');
	expect((await next.ended).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.meta('p', 'gemini_review', 'gemini')).toMatchObject({ outcome: 'passed', adopted: true, attempt: 1 });
	expect(await rig.read('.tmp/task/p/outputs/gemini_review.gemini.out')).toContain('Verdict: APPROVED');
	expect(rig.living()).toEqual([]);
});

test('a servant that finished while nobody looked is collected, not called again', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('its end is on record', () => hasExited(rig));
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 0 });
	expect(await hasEvent(rig, 'stage_started', true)).toBe(false);
});

test('what a person did to the tree after the end that nobody saw is not the servant’s doing', async () => {
	await using rig = await waitingRig();
	for (const name of ['kept.txt', 'gone.txt']) await rig.write(name, 'old\n');
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('its end is on record', () => hasExited(rig));
	const { ctimeNs } = statSync(join(rig.root, record), { bigint: true });
	// Clocks of files tick every few milliseconds.
	await rig.until('it is later', async () => {
		await rig.write('kept.txt', 'new\n');
		return statSync(join(rig.root, 'kept.txt'), { bigint: true }).ctimeNs > ctimeNs;
	});
	rmSync(join(rig.root, 'gone.txt'));
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
});

test('a reader that wrote is found out, however late it is collected and whatever came after it', async () => {
	await using rig = await Rig.create();
	await rig.servant('gemini', geminiSays(answers.review!, `echo mine > mine.txt; ${waits}`));
	await rig.packet('p', { routing: { intent: 'review_only' } });
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('its end is on record', () => hasExited(rig));
	const { ctimeNs } = statSync(join(rig.root, record), { bigint: true });
	await rig.until('it is later', async () => {
		await rig.write('theirs.txt', 'later\n');
		return statSync(join(rig.root, 'theirs.txt'), { bigint: true }).ctimeNs > ctimeNs;
	});
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(1);
	expect(await rig.lastFailure('p')).toMatchObject({ class: 'scope_violation', reason: 'a reading stage changed mine.txt' });
});

test('an end that nobody saw is told as the time it was, not as the time of its collection', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('its end is on record', () => hasExited(rig));
	const { mtime } = statSync(join(rig.root, record));
	await rig.until('a moment has passed', () => Date.now() - mtime.getTime() > 1500);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	const meta = await rig.meta('p', 'gemini_review', 'gemini');
	expect(meta.end).toBe(mtime.toISOString());
	expect(meta.duration_sec).toBeCloseTo((mtime.getTime() - Date.parse(meta.start!)) / 1000, 1);
});

test('an end of which nothing is left is not known', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	rig.killAll();
	await rig.until('all are gone', () => rig.living().length === 0);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(1);
	expect(await rig.meta('p', 'gemini_review', 'gemini')).toMatchObject({ outcome: 'killed', end: null, duration_sec: null });
});

/** An environment that does not find the fakes, as of a cron job. */
const withoutServants = (rig: Rig) => ({ env: { PATH: rig.env.PATH!.split(':').slice(1).join(':') } });

test('killed, then continued in an environment without the servant, a run collects what was paid', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('its end is on record', () => hasExited(rig));
	expect((await rig.start(['run', 'p'], withoutServants(rig)).ended).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 0 });
});

test('a run that may call nobody adopts and collects all the same, and the next one calls only for the rest', async () => {
	await using rig = await waitingRig();
	await rig.servant('codex', codexSays(`${answers.review}\nPASS`, waits));
	await rig.packet('p', { routing: { intent: 'codex_only' } });
	await killedWhileItRuns(rig);
	const next = rig.start(['run', 'p'], withoutServants(rig));
	await rig.until('it is adopted', () => hasEvent(rig, 'stage_started', true));
	await rig.let('go');
	expect((await next.ended).exitCode).toBe(6);
	expect(await rig.lastFailure('p')).toMatchObject({ class: 'tool_missing', stage: 'codex_verify' });
	expect((await rig.stats('p')).stages_completed).toEqual(['codex_review']);
	expect(rig.has('.tmp/task/p/done/codex_review.done')).toBe(true);

	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(2);
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 2, paid_calls_in_doubt: 0 });
});

test('an answer that is refused is not asked for again by a run that must end before its first call', async () => {
	await using rig = await waitingRig();
	await rig.servant('codex', codexSays('Nothing of what was asked for.', waits));
	await rig.write('configs/pipeline/review.yaml', 'profiles:\n  codex_only:\n    stages: [codex_review, gemini_verify]\n');
	await rig.packet('p', { routing: { intent: 'codex_only' } });
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.sh(`rm ${rig.base}/bin/gemini`);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(6);
	expect(await rig.meta('p', 'codex_review', 'codex')).toMatchObject({ outcome: 'contract_violation' });
	expect(rig.seen('calls')).toHaveLength(1);
});

test('an adopted servant is ended at its limit, counted from its reservation', async () => {
	await using rig = await waitingRig({ max_wallclock_sec: 4 });
	await killedWhileItRuns(rig);
	const reserved = (await rig.events('p')).find((event) => event.type === 'stage_reserved')!;
	await rig.until('three of its four seconds are over', () => Date.now() - Date.parse(reserved.time) > 3000);
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).toBe(1);
	const meta = await rig.meta('p', 'gemini_review', 'gemini');
	expect(meta).toMatchObject({ outcome: 'timeout', adopted: true });
	expect(meta.duration_sec).toBeLessThan(6.9);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(rig.living()).toEqual([]);
});

test('a servant killed together with its dispatcher counts, and is not repeated by itself', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	rig.killAll();
	await rig.until('all are gone', () => rig.living().length === 0);
	expect((await rig.dispatch('run', 'p')).exitCode).toBe(1);
	expect(await rig.lastFailure('p')).toMatchObject({ class: 'killed', stage: 'gemini_review' });
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1 });
	expect(rig.seen('calls')).toHaveLength(1);
});

test('a wrapper that wakes after its call was given back never reaches its servant', async () => {
	await using undisturbed = await waitingRig();
	await undisturbed.let('go');
	const start = (await operationsOf(undisturbed)).findIndex((name) => name.startsWith('spawn')) + 1;
	await using rig = await waitingRig();
	await rig.let('go');
	await runWith(rig, { mode: 'freeze', at: start });
	const [frozen] = rig.living();
	await rig.until('it stands still', () => / T /.test(readFileSync(`/proc/${frozen}/stat`, 'latin1')));
	expect(rig.has(record)).toBe(false);

	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	process.kill(frozen!, 'SIGCONT');
	await rig.until('it is gone', () => rig.living().length === 0);

	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.read(record)).toBe('cancelled\n');
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 0 });
});

test('a wrapper that dies before it has claimed its attempt cost no call, and the next run makes it', async () => {
	await using undisturbed = await waitingRig();
	await undisturbed.let('go');
	const start = (await operationsOf(undisturbed)).findIndex((name) => name.startsWith('spawn')) + 1;
	await using rig = await waitingRig();
	await rig.let('go');
	expect((await runWith(rig, { mode: 'kill-wrapper', at: start })).exitCode).toBe(1);
	expect(await rig.read(record)).toBe('cancelled\n');
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 0, paid_calls_in_doubt: 0 });

	expect((await rig.dispatch('run', 'p')).exitCode).toBe(0);
	expect(rig.seen('calls')).toHaveLength(1);
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 0 });
});

test('--max-calls is not raised by an attempt of an earlier run that turns out never to have reached its servant', async () => {
	const queue = async () => {
		const rig = await queueRig();
		for (const id of ['p', 'p-2', 'p-3']) await explore(rig, id);
		return rig;
	};
	await using undisturbed = await queue();
	const appends = (await operationsOf(undisturbed)).flatMap((name, n) => (name === 'write task/p/state/events.jsonl' ? [n + 1] : []));
	await using rig = await queue();
	const working = `${rig.base}/bin/fake-cli`;
	await rig.sh(`mv ${working} ${working}.kept && echo '#!/no/such/shell' > ${working} && chmod +x ${working}`);
	await runWith(rig, { mode: 'kill-after', at: appends[2]! });
	const unrun = '.tmp/task/p/outputs/attempts/fake_explore/1/record';
	await rig.until('nothing was run', async () => rig.has(unrun) && (await rig.read(unrun)).includes('exit 127'));
	await rig.sh(`mv ${working}.kept ${working}`);

	const work = await rig.dispatch('work', 'p', 'p-2', 'p-3', '--max-calls', '1');
	expect(work.stdout).toContain('the one call of --max-calls is used');
	expect((await rig.stats('p')).paid_calls_used).toBe(0);
	expect(begun(rig)).toHaveLength(1);
});

test('a paused run that wakes after its lock was taken ends with 5 and writes nothing more', async () => {
	await using rig = await waitingRig();
	const lockFile = '.tmp/task/p/state/lock';
	const paused = rig.start(['run', 'p']);
	await rig.until('the servant runs', () => rig.seen('started').length === 1);
	await rig.settled('p');
	paused.child.kill('SIGSTOP');
	const lock = await rig.json<{ token: string }>(lockFile);
	await rig.write(lockFile, `${JSON.stringify({ ...lock, token: 'f'.repeat(24) })}\n`);
	await rig.let('go');
	await rig.until('its servant has ended', () => hasExited(rig));
	const before = picture(rig);

	paused.child.kill('SIGCONT');
	const ran = await paused.ended;

	expect(ran.exitCode).toBe(5);
	expect(ran.stderr).toContain('another run has taken over');
	expect(picture(rig)).toEqual(before);
});

/** Every file of the packet with its content. */
const picture = (rig: Rig): Record<string, string> =>
	Object.fromEntries(filesBelow(join(rig.root, '.tmp/task/p')).map((file) => [file, readFileSync(file, 'utf8')]));

test('an attempt whose tree of before is lost is not taken for one that changed nothing', async () => {
	await using rig = await waitingRig();
	await killedWhileItRuns(rig);
	await rig.let('go');
	await rig.until('it has ended', () => hasExited(rig));
	await rig.sh('rm .tmp/task/p/outputs/attempts/gemini_review/1/tree.json');
	const ran = await rig.dispatch('run', 'p');
	expect(ran.exitCode).toBe(1);
	expect(await rig.lastFailure('p')).toMatchObject({
		class: 'unknown',
		reason: 'the work tree could not be compared: what it was before is lost',
	});
	expect(rig.seen('calls')).toHaveLength(1);
});

test('a text answer whose end did not survive a power cut is not taken for the whole, though its meta did', async () => {
	const textRig = async (): Promise<Rig> => {
		const rig = await Rig.create();
		await rig.servant('echo', 'cat > /dev/null; echo one >> "$SEEN/calls"; echo a long answer in plain text');
		await rig.write('configs/servant/echo.yaml', 'command: echo\nargs: []\nprompt: stdin\noutput: text\n');
		await rig.write(
			'configs/pipeline/text.yaml',
			'pipeline: text\ndefault_profile: text\nprofiles:\n  text:\n    stages: [echo_explore]\n',
		);
		await rig.packet('p', { routing: { intent: 'text' } });
		return rig;
	};
	await using undisturbed = await textRig();
	const metaWritten =
		(await operationsOf(undisturbed)).findIndex((name) => /^write .*attempts\/echo_explore\/1\/meta\.json/.test(name)) + 1;
	expect(metaWritten).toBeGreaterThan(0);
	await using rig = await textRig();
	const killed = await runWith(rig, { mode: 'kill-after', at: metaWritten, boot: 'boot-1' });
	expect(killed.signal).toBe('SIGKILL');
	truncateSync(join(rig.root, '.tmp/task/p/outputs/attempts/echo_explore/1/out'), 6);

	const ran = await runWith(rig, { mode: 'count', boot: 'boot-2' });
	expect(ran.exitCode).toBe(1);
	expect(await rig.lastFailure('p')).toMatchObject({ class: 'killed' });
	expect(await rig.stats('p')).toMatchObject({ paid_calls_used: 1, paid_calls_in_doubt: 1 });
	expect(rig.has('.tmp/task/p/done/echo_explore.done')).toBe(false);
});
