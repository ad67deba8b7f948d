import { expect, test } from 'vitest';
import { ageDrafts, eachOf, faultsOf, operationsOf, outcomeOf, representatives, runWith, stages, wholeRig } from './scenario.ts';

interface Case {
	readonly at: number;
	readonly mode: 'kill-before' | 'kill-after';
}

test('killed at every file operation and continued, a run ends as if nothing had happened, with one call a stage', async () => {
	await using undisturbed = await wholeRig();
	const operations = await operationsOf(undisturbed);
	const expected = await outcomeOf(undisturbed);
	const chosen = representatives(operations);
	// After one operation and before the next the disk is the same, but where something else goes on meanwhile.
	const cases = chosen.flatMap((at): Case[] => [
		{ at, mode: 'kill-before' },
		...(/^(fsync|spawn)/.test(operations[at - 1]!) ? [{ at, mode: 'kill-after' } as const] : []),
	]);
	const told = { killed: 0, ended: 0, adopted: 0, returned: 0, inDoubt: 0 };
	const wrong: string[] = [];

	await eachOf(cases, async ({ at, mode }) => {
		await using rig = await wholeRig();
		const killed = await runWith(rig, { mode, at });
		if (killed.signal === 'SIGKILL') told.killed++;
		else told.ended++;
		ageDrafts(rig);
		const again = await rig.dispatch('run', 'p');
		const events = await rig.events('p');
		const collected = events.filter((event) => event.type === 'stage_collected');
		told.adopted += events.filter((event) => event.type === 'stage_started' && event.adopted).length;
		told.returned += collected.filter((event) => event.call === 'returned').length;
		told.inDoubt += collected.filter((event) => event.call === 'in_doubt').length;
		const calls = rig.seen('calls').length;
		const { paid_calls_used } = await rig.stats('p');
		const faults = [
			...(await faultsOf(rig, again, expected)),
			...(calls === stages.length ? [] : [`${calls} calls were made`]),
			...(paid_calls_used === stages.length ? [] : [`${paid_calls_used} calls are counted`]),
		];
		if (faults.length > 0) wrong.push(`${mode} ${at} (${killed.hit}):\n  ${faults.join('\n  ')}`);
	});

	console.log(
		`crash sweep: ${operations.length} operations, ${cases.length} kills tried, ${told.killed} hit, ${cases.length - wrong.length} continued to the same end, ${told.adopted} adopted, ${told.returned} given back, ${told.inDoubt} in doubt`,
	);
	expect(wrong).toEqual([]);
	expect(told.ended).toBeLessThan(cases.length / 20);
}, 3_600_000);
