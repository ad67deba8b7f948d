import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { DispatchEvent, EventOf } from '../../src/contract/event.ts';
import { Rig, say } from '../rig.ts';

/** A text servant whose n-th call does the n-th of these, and later ones the last. Its prompts are kept as `<tool>.<n>`. */
const inTurn = (tool: string, deeds: readonly string[]): string => {
	const cases = deeds.map((deed, at) => `${at === deeds.length - 1 ? '*' : at + 1}) ${deed}\n;;`);
	return `echo call >> "$SEEN/${tool}"; n=$(grep -c call "$SEEN/${tool}"); cat > "$SEEN/${tool}.$n"\ncase $n in\n${cases.join('\n')}\nesac`;
};

const writes = 'echo round >> src/a.txt; echo Done.';
const twoRounds = { commands: ['printf "need %s rounds\\n" two && test "$(grep -c round src/a.txt)" = 2'] };

/** `writer_impl`, then `checker_verify` beside `reader_explore` where there is one; two fix rounds. */
async function fixRig(deeds: { writer: string[]; checker?: string[]; reader?: string[] }, manifest: object = {}): Promise<Rig> {
	const rig = await Rig.create();
	const { writer, checker = ['echo PASS'], reader } = deeds;
	await rig.textServant('writer', inTurn('writer', writer));
	await rig.textServant('checker', inTurn('checker', checker));
	if (reader) await rig.textServant('reader', inTurn('reader', reader));
	const stages = ['writer_impl', ...(reader ? ['reader_explore'] : []), 'checker_verify'];
	const needs = Object.fromEntries(stages.slice(1).map((stage) => [stage, ['writer_impl']]));
	const profiles = { rounds: { stages, needs, options: { fix_rounds: 2 } } };
	await rig.write('configs/pipeline/rounds.yaml', stringify({ pipeline: 'rounds', default_profile: 'rounds', profiles }));
	await rig.packet('t1', { routing: { intent: 'rounds' }, scope: { allow: ['src'] }, ...manifest });
	return rig;
}

const ofType = async <T extends DispatchEvent['type']>(rig: Rig, type: T): Promise<EventOf<T>[]> =>
	rig.has('.tmp/task/t1/state/events.jsonl') ? (await rig.events('t1')).filter((event): event is EventOf<T> => event.type === type) : [];

const kindsOf = async (rig: Rig, stage: string) =>
	(await ofType(rig, 'stage_reserved')).filter((event) => event.stage === stage).map((event) => event.kind);

const promptOf = (rig: Rig, tool: string, n: number) => rig.seen(`${tool}.${n}`).join('\n');

test('a retry within a fix round is told what the check found, and why its own answer was refused', async () => {
	await using rig = await fixRig({ writer: [writes, 'echo half >> src/a.txt', writes] }, { acceptance: twoRounds });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await kindsOf(rig, 'writer_impl')).toEqual(['first', 'fix', 'retry']);
	expect(promptOf(rig, 'writer', 2)).toContain('need two rounds');
	expect(promptOf(rig, 'writer', 3)).toContain('need two rounds');
	expect(promptOf(rig, 'writer', 3)).toContain('answer is empty');
});

const waits = 'echo here > "$SEEN/here"; until [ -e "$SEEN/go" ]; do sleep 0.02; done';

/** A fix round that is interrupted while its writer works. */
async function interruptedRound(rig: Rig): Promise<void> {
	const first = rig.start(['run', 't1']);
	await rig.until('the writer mends', () => rig.seen('here').length === 1);
	first.child.kill('SIGINT');
	expect((await first.ended).exitCode).toBe(130);
	await rig.let('go');
}

test('an interrupted fix round is continued as one, with what the check found', async () => {
	await using rig = await fixRig({ writer: [writes, waits, writes] }, { acceptance: twoRounds });
	await interruptedRound(rig);
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await kindsOf(rig, 'writer_impl')).toEqual(['first', 'fix', 'fix']);
	expect(promptOf(rig, 'writer', 3)).toContain('need two rounds');
});

test('no done marker stands for work that a fix round is doing again', async () => {
	await using rig = await fixRig({ writer: [writes, waits, writes] }, { acceptance: twoRounds });
	const marker = '.tmp/task/t1/done/writer_impl.done';
	const first = rig.start(['run', 't1']);
	await rig.until('the writer mends', () => rig.seen('here').length === 1);
	expect(rig.has(marker)).toBe(false);
	first.child.kill('SIGINT');
	await first.ended;
	expect(rig.has(marker)).toBe(false);
	await rig.let('go');
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(rig.has(marker)).toBe(true);
});

test('a done marker that a crash left standing before a fix round goes with the next run', async () => {
	const marker = '.tmp/task/t1/done/writer_impl.done';
	const mends = 'echo again > "$SEEN/again"; until [ -e "$SEEN/mend" ]; do sleep 0.02; done';
	await using rig = await fixRig({ writer: [writes, waits, `${mends}; ${writes}`] }, { acceptance: twoRounds });
	await interruptedRound(rig);
	await rig.write(marker, JSON.stringify({ schema: 1, stage: 'writer_impl', tool: 'writer', attempt: 1 }));
	const next = rig.start(['run', 't1']);
	await rig.until('the writer mends', () => rig.seen('again').length === 1);
	expect(rig.has(marker)).toBe(false);
	await rig.let('mend');
	expect((await next.ended).exitCode).toBe(0);
	expect(await rig.json(marker)).toMatchObject({ attempt: 3 });
});

const fixEvent = async (rig: Rig) => (await ofType(rig, 'stage_finished')).find((event) => event.decision === 'fix');

test('what was looking at the work when a fix round began looks again at the mended work', async () => {
	await using rig = await fixRig({
		writer: ['echo first >> src/a.txt; echo Done.', 'echo mended >> src/a.txt; echo Done.'],
		checker: [`until [ -e "$SEEN/here" ]; do sleep 0.02; done; echo FAIL`, 'echo PASS'],
		reader: [`${waits}; echo The old work is fine.`, 'echo The mended work is fine.'],
	});
	const run = rig.start(['run', 't1']);
	await rig.until('the check sends the work back', async () => (await fixEvent(rig)) !== undefined);
	await rig.let('go');
	expect((await run.ended).exitCode).toBe(0);
	expect((await fixEvent(rig))?.run_again).toEqual(['writer_impl', 'reader_explore', 'checker_verify']);
	expect(rig.seen('reader')).toHaveLength(2);
	expect(promptOf(rig, 'reader', 2)).toContain('+mended');
	expect(await rig.read('.tmp/task/t1/outputs/reader_explore.reader.out')).toContain('mended work');
	expect(await rig.json('.tmp/task/t1/done/reader_explore.done')).toMatchObject({ attempt: 2 });
});

test('a fix round that changes nothing is no change, whatever the rounds before it changed', async () => {
	await using rig = await fixRig({ writer: [writes, 'echo Done.'] }, { acceptance: twoRounds, budgets: { retry_budget: 0 } });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(1);
	expect(await rig.lastFailure('t1')).toMatchObject({ stage: 'writer_impl', class: 'no_change' });
});

test('a diff that the writer answers with in a fix round is applied, whatever the rounds before it changed', async () => {
	const diff = '```diff\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,3 @@\n one\n round\n+round\n```';
	await using rig = await fixRig({ writer: [writes, say(diff)] }, { acceptance: twoRounds });
	expect((await rig.dispatch('run', 't1')).exitCode).toBe(0);
	expect(await rig.read('src/a.txt')).toBe('one\nround\nround\n');
});
