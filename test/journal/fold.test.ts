import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DispatchEvent } from '../../src/contract/event.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { lastFailureOf, statusOf, verdictOf } from '../../src/journal/standing.ts';
import { statsOf } from '../../src/journal/totals.ts';
import { story } from './story.ts';

test('a call counts from its reservation on, before anything is known about it', () => {
	const t = story();
	const state = foldJournal([t.run(['codex_review']), t.reserved('codex_review')]);
	expect(state.calls).toEqual({ used: 1, inDoubt: 0 });
	expect(state.stages.get('codex_review')).toMatchObject({ status: 'running', attempt: 1, settled: false });
});

test('a servant that is not paid costs no call', () => {
	const t = story();
	expect(foldJournal([t.reserved('replay_review', { paid: false })]).calls.used).toBe(0);
	expect(foldJournal([t.reserved('replay_review', { paid: false }), t.collected('replay_review', { call: 'returned' })]).calls.used).toBe(
		0,
	);
});

test('a call that provably never reached the servant is given back, once', () => {
	const t = story();
	const state = foldJournal([
		t.reserved('codex_review'),
		t.collected('codex_review', { call: 'returned' }),
		t.collected('codex_review', { call: 'returned' }),
	]);
	expect(state.calls).toEqual({ used: 0, inDoubt: 0 });
	expect(state.stages.get('codex_review')).toMatchObject({ status: 'pending', open: null });
});

test('a call in doubt stays counted and is named as such, once', () => {
	const t = story();
	const doubt = () => t.collected('codex_review', { call: 'in_doubt' });
	expect(foldJournal([t.reserved('codex_review'), doubt(), doubt()]).calls).toEqual({ used: 1, inDoubt: 1 });
});

test('a settlement of another attempt changes nothing', () => {
	const t = story();
	const state = foldJournal([t.reserved('codex_review', { attempt: 2 }), t.collected('codex_review', { attempt: 1, call: 'returned' })]);
	expect(state.calls.used).toBe(1);
});

test('an open reservation survives the start of the next run, so that its wrapper can be adopted', () => {
	const t = story();
	const state = foldJournal([t.run(['codex_review']), t.reserved('codex_review'), t.started('codex_review'), t.run(['codex_review'])]);
	expect(state.stages.get('codex_review')).toMatchObject({ status: 'running', open: { attempt: 1 } });
	expect(state.calls.used).toBe(1);
});

test('the end of another attempt does not close one that is still to be recovered', () => {
	const t = story();
	const events = [t.reserved('codex_review'), t.run(['codex_review']), t.failed('codex_review', { attempt: 2, class: 'tool_missing' })];
	expect(foldJournal(events).stages.get('codex_review')).toMatchObject({ status: 'failed', open: { attempt: 1 } });
	const next = foldJournal([...events, t.run(['codex_review']), t.passed('codex_review')]);
	expect(next.stages.get('codex_review')).toMatchObject({ status: 'passed', attempt: 1, open: null });
});

test('failures count per run for the retry budget and for ever in the stats', () => {
	const t = story();
	const events: DispatchEvent[] = [
		t.run(['codex_review']),
		t.reserved('codex_review'),
		t.failed('codex_review', { decision: 'retry', signature: 'aa' }),
		t.failed('codex_review', { decision: 'stop', signature: 'aa' }),
	];
	expect(foldJournal(events).failuresThisRun).toEqual({ aa: 2 });
	const again = foldJournal([...events, t.run(['codex_review'])]);
	expect(again.failuresThisRun).toEqual({});
	expect(again.signatures).toEqual({ aa: 2 });
	expect(again.stages.get('codex_review')?.status).toBe('pending');
});

test('a retry waits, a pass clears the failure', () => {
	const t = story();
	const events: DispatchEvent[] = [t.reserved('codex_review'), t.failed('codex_review', { decision: 'retry' })];
	expect(foldJournal(events).stages.get('codex_review')).toMatchObject({ status: 'waiting', failure: { decision: 'retry' } });
	const passed = foldJournal([...events, t.reserved('codex_review', { attempt: 2 }), t.passed('codex_review', { attempt: 2 })]);
	expect(passed.stages.get('codex_review')).toMatchObject({ status: 'passed', attempt: 2, failure: null });
	expect(lastFailureOf(passed, ['codex_review'])).toBeNull();
});

test('a stage run again on purpose is due again; its attempts and its cost are kept', () => {
	const t = story();
	const order = ['gemini_review', 'codex_review'];
	const state = foldJournal([
		t.run(order),
		t.reserved('gemini_review'),
		t.passed('gemini_review'),
		t.reserved('codex_review'),
		t.failed('codex_review'),
		t.run(order, { rerun: order }),
	]);
	expect(state.stages.get('gemini_review')).toMatchObject({ status: 'pending', attempt: 1 });
	expect(state.stages.get('codex_review')).toMatchObject({ status: 'pending', failure: null });
	expect(state.calls.used).toBe(2);
	expect(state.metas).toHaveLength(2);
});

test('a fix round sends the writing stage and its verify back, and is counted', () => {
	const t = story();
	const state = foldJournal([
		t.run(['codex_impl', 'codex_verify']),
		t.reserved('codex_impl'),
		t.passed('codex_impl'),
		t.failed('codex_verify', { class: 'acceptance_failed', decision: 'fix', run_again: ['codex_impl', 'codex_verify'] }),
	]);
	expect(state.stages.get('codex_impl')?.status).toBe('waiting');
	expect(state.stages.get('codex_verify')?.status).toBe('waiting');
	expect(state.fixRoundsThisRun).toBe(1);
	expect(statsOf(state).stages_completed).toEqual([]);
});

const round = ['codex_impl', 'gemini_review', 'codex_verify'];
const sentBack = (t: ReturnType<typeof story>) =>
	t.failed('codex_verify', { class: 'acceptance_failed', decision: 'fix', run_again: round });

test('what a fix round makes outdated while it runs is due again when it ends, and says nothing of the mended work', () => {
	const t = story();
	const begun = [t.run(round), t.passed('codex_impl'), t.reserved('gemini_review'), t.reserved('codex_verify'), sentBack(t)];
	expect(foldJournal(begun).stages.get('gemini_review')).toMatchObject({ status: 'running', stale: true, open: { attempt: 1 } });
	const ended = foldJournal([...begun, t.run(round), t.passed('gemini_review', { verdict: 'APPROVED' })]);
	expect(ended.stages.get('gemini_review')).toMatchObject({ status: 'waiting', stale: false, open: null, verdict: null });
	const again = [t.reserved('gemini_review', { attempt: 2 }), t.passed('gemini_review', { attempt: 2, verdict: 'APPROVED' })];
	expect(foldJournal(again, ended).stages.get('gemini_review')).toMatchObject({ status: 'passed', verdict: 'APPROVED' });
});

test('a second check that saw the old work does not send the new one back, and what fails for good has failed', () => {
	const t = story();
	const begun = [t.run(round), t.passed('codex_impl'), t.reserved('gemini_review'), t.reserved('codex_verify'), sentBack(t)];
	const again = t.failed('gemini_review', { decision: 'fix', run_again: round });
	const mended = foldJournal([...begun, t.reserved('codex_impl', { attempt: 2 }), t.passed('codex_impl', { attempt: 2 }), again]);
	expect(mended.stages.get('codex_impl')?.status).toBe('passed');
	expect(mended.stages.get('gemini_review')?.status).toBe('waiting');
	expect(mended.fixRoundsThisRun).toBe(1);
	expect(foldJournal([...begun, t.failed('gemini_review', { class: 'auth' })]).stages.get('gemini_review')?.status).toBe('failed');
});

test('a verdict on work that is sent back is none', () => {
	const t = story();
	const state = foldJournal([
		t.run(round),
		t.passed('codex_impl'),
		t.passed('gemini_review', { verdict: 'APPROVED' }),
		sentBack(t),
		t.finished({ status: 'interrupted', exit_code: 130 }),
	]);
	expect(verdictOf(state, round)).toBeNull();
	expect(verdictOf(foldJournal([t.passed('claude_review', { verdict: 'APPROVED' })], state), ['claude_review', ...round])).toBeNull();
});

test('a call in doubt that turns out never to have begun is over, and stays counted', () => {
	const t = story();
	const state = foldJournal([
		t.reserved('codex_review'),
		t.collected('codex_review', { call: 'in_doubt' }),
		t.collected('codex_review', { call: 'returned' }),
	]);
	expect(state.calls).toEqual({ used: 1, inDoubt: 1 });
	expect(state.stages.get('codex_review')).toMatchObject({ status: 'pending', open: null });
});

test('a fallback is remembered within its run only', () => {
	const t = story();
	const events: DispatchEvent[] = [t.run(['codex_review']), t.fallback('codex_review', { provider: 'claude' })];
	expect(foldJournal(events).stages.get('codex_review')).toMatchObject({ tool: 'claude', fellBackTo: ['claude'] });
	expect(foldJournal([...events, t.run(['codex_review'])]).stages.get('codex_review')?.fellBackTo).toEqual([]);
});

test('of several failed stages the first in stage order is the last failure', () => {
	const t = story();
	const state = foldJournal([t.failed('codex_review', { class: 'quota' }), t.failed('gemini_review', { class: 'auth' })]);
	expect(lastFailureOf(state, ['gemini_review', 'codex_review'])).toMatchObject({ stage: 'gemini_review', class: 'auth', exit_code: 1 });
});

test('a run without an end is in progress while its owner lives and interrupted when it is gone', () => {
	const t = story();
	const events: DispatchEvent[] = [t.run(['codex_review'])];
	expect(statusOf(foldJournal([]), false)).toBe('pending');
	expect(statusOf(foldJournal(events), true)).toBe('in_progress');
	expect(statusOf(foldJournal(events), false)).toBe('interrupted');
	expect(statusOf(foldJournal([...events, t.finished({ status: 'needs_human', exit_code: 6 })]), false)).toBe('needs_human');
});

test('the last stage that gave a verdict speaks for the packet', () => {
	const t = story();
	const state = foldJournal([
		t.passed('gemini_review', { verdict: 'APPROVED' }),
		t.passed('codex_review', { verdict: 'CHANGES_REQUESTED' }),
		t.passed('codex_verify'),
	]);
	expect(verdictOf(state, ['gemini_review', 'codex_review', 'codex_verify'])).toBe('CHANGES_REQUESTED');
});

test('an early verdict is not the verdict of a packet that failed before its last review', () => {
	const t = story();
	const stages = ['gemini_review', 'codex_impl', 'codex_review'];
	const state = foldJournal([
		t.run(stages),
		t.passed('gemini_review', { verdict: 'APPROVED' }),
		t.failed('codex_impl', { class: 'auth' }),
		t.finished({ status: 'failed', exit_code: 1 }),
	]);
	expect(verdictOf(state, stages)).toBeNull();
	expect(verdictOf(state, ['gemini_review', 'codex_impl'])).toBe('APPROVED');
});

test('totals add up what is known and stay null where nothing is', () => {
	const t = story();
	const state = foldJournal([
		t.passed('claude_review', {}, { num_steps_computed: 4, num_turns_reported: 3, cost_usd: 0.1 }),
		t.passed('codex_review', {}, { num_steps_computed: null, num_steps_reported: 7, cost_usd: null }),
	]);
	expect(statsOf(state)).toMatchObject({
		steps: 11,
		num_steps_computed: 4,
		num_steps_reported: 7,
		num_turns_reported: 3,
		cost_usd: 0.1,
		usage: { input_tokens: null },
	});
});

test('folding a journal in two pieces is folding it whole', () => {
	const t = story();
	const stage = fc.constantFrom('gemini_review', 'codex_review');
	const event = stage.chain((name) =>
		fc.constantFrom<DispatchEvent>(
			t.run([name]),
			t.run([name], { rerun: [name] }),
			t.reserved(name),
			t.started(name),
			t.progress(name, { activity: 'acceptance' }),
			t.waiting(name),
			t.fallback(name),
			t.collected(name, { call: 'returned' }),
			t.collected(name, { call: 'in_doubt' }),
			t.passed(name),
			t.failed(name, { decision: 'retry' }),
			t.finished(),
		),
	);
	fc.assert(
		fc.property(fc.array(event), fc.nat(30), (events, at) => {
			const whole = foldJournal(events);
			expect(foldJournal(events.slice(at), foldJournal(events.slice(0, at)))).toEqual(whole);
			expect(whole.calls.used).toBeGreaterThanOrEqual(whole.calls.inDoubt);
		}),
	);
});
