import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/packet/journal-file.ts';
import {
	ageDrafts,
	eachOf,
	faultsOf,
	hollowMarkers,
	isFull,
	operationsOf,
	outcomeOf,
	representatives,
	runWith,
	stages,
	wholeRig,
} from './scenario.ts';

interface Case {
	readonly at: number;
	readonly mode: 'cut-before' | 'cut-after';
	/** Without: nothing survives that was not fsynced. With: of all that, each by chance, or done markers only. */
	readonly seed: string | null;
}

const mostRuns = 4;

test('when the power goes at any file operation, no call is lost from the books and no marker stands without its answer', async () => {
	await using undisturbed = await wholeRig();
	const operations = await operationsOf(undisturbed);
	const expected = await outcomeOf(undisturbed);
	const cases = representatives(operations).flatMap((at, n): Case[] => {
		const mode = /^(fsync|spawn)/.test(operations[at - 1]!) ? 'cut-after' : 'cut-before';
		const strict: Case = { at, mode, seed: null };
		const lucky: Case = { at, mode, seed: `seed ${at}` };
		const markers: Case = { at, mode, seed: 'markers first' };
		if (isFull) return [strict, lucky, markers];
		// Where an answer becomes a done stage the order matters most.
		if (/^(fsync|link) .*outputs\/|\.done/.test(operations[at - 1]!)) return [strict, markers];
		return n % 3 === 0 ? [lucky] : [strict];
	});
	const told = { cut: 0, inDoubt: 0, returned: 0, repeated: 0 };
	const wrong: string[] = [];

	await eachOf(cases, async ({ at, mode, seed }) => {
		await using rig = await wholeRig();
		const cut = await runWith(rig, { mode, at, boot: 'boot-1', ...(seed === null ? {} : { seed }) });
		if (cut.signal === 'SIGKILL') told.cut++;
		const hollow = hollowMarkers(rig);
		ageDrafts(rig);
		let last = await runWith(rig, { mode: 'count', boot: 'boot-2' });
		for (let runs = 1; last.exitCode === 1 && runs < mostRuns; runs++) last = await runWith(rig, { mode: 'count', boot: 'boot-2' });

		const calls = rig.seen('calls').length;
		const { paid_calls_used, paid_calls_in_doubt } = await rig.stats('p');
		told.inDoubt += paid_calls_in_doubt;
		told.repeated += Math.max(0, calls - stages.length);
		told.returned += readJournal(join(rig.root, '.tmp/task/p/state/events.jsonl')).filter(
			(event) => event.type === 'stage_collected' && event.call === 'returned',
		).length;
		// A writer that was called twice wrote twice; what it left behind is not ours to compare.
		const once = calls === stages.length && paid_calls_in_doubt === 0;
		const faults = [
			...(await faultsOf(rig, last, expected))
				// Streams and logs are kept for the reader only: of these the end may be missing.
				.filter((fault) => !/(stream\.jsonl|\.err|wrapper\.log) (differs|is missing)/.test(fault))
				.filter((fault) => once || !/^(work tree|state\/stats|outputs\/|inputs\/prompt|done\/).* differs/.test(fault)),
			...hollow.map((file) => `${file} had no answer`),
			...hollowMarkers(rig).map((file) => `${file} has no answer`),
			...(calls <= paid_calls_used ? [] : [`${calls} calls were made, ${paid_calls_used} are counted`]),
			...(paid_calls_used <= calls + paid_calls_in_doubt ? [] : [`${paid_calls_used} calls are counted`]),
		];
		if (faults.length > 0) wrong.push(`${mode} ${at} ${seed} (${cut.hit}):\n  ${faults.join('\n  ')}`);
	});

	console.log(
		`power cuts: ${cases.length} tried, ${told.cut} hit, ${cases.length - wrong.length} continued to completion, ${told.inDoubt} calls in doubt (counted), ${told.repeated} made again because their answer was not on disk, ${told.returned} given back`,
	);
	expect(wrong).toEqual([]);
	expect(cases.length - told.cut).toBeLessThan(cases.length / 20);
}, 3_600_000);
