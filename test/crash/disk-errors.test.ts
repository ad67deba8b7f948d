import { expect, test } from 'vitest';
import { ageDrafts, eachOf, faultsOf, isFull, operationsOf, outcomeOf, representatives, runWith, stages, wholeRig } from './scenario.ts';

const errnos = ['ENOSPC', 'EIO', 'EACCES', 'EROFS'];
const words = /no space left|input\/output error|permission denied|read-only/;

interface Case {
	readonly at: number;
	readonly errno: string;
	readonly persist: boolean;
}

test('a disk that refuses any one write is named, costs nothing, and the run continues when it is mended', async () => {
	await using undisturbed = await wholeRig();
	const operations = await operationsOf(undisturbed);
	const expected = await outcomeOf(undisturbed);
	const writes = representatives(operations).filter((at) => !operations[at - 1]!.startsWith('spawn'));
	const cases = writes.flatMap((at, n): Case[] => {
		const all = errnos.map((errno, m): Case => ({ at, errno, persist: (n + m) % 2 === 0 }));
		return isFull ? all : [all[n % all.length]!];
	});
	const told = { refused: 0, unharmed: 0, ended: 0 };
	const wrong: string[] = [];

	await eachOf(cases, async ({ at, errno, persist }) => {
		await using rig = await wholeRig();
		const refused = await runWith(rig, { mode: 'errno', at, errno, persist });
		const callsThen = rig.seen('calls').length;
		// Two stages side by side share a summary or write one each, so that one run has some operations more than another.
		const hasEnded = refused.hit === null;
		if (hasEnded) told.ended++;
		else if (refused.exitCode === 0) told.unharmed++;
		else told.refused++;
		ageDrafts(rig);
		const again = await rig.dispatch('run', 'p');

		const calls = rig.seen('calls').length;
		const { paid_calls_used } = await rig.stats('p');
		const isRefused = refused.exitCode === 6 && words.test(refused.stderr);
		// What the run can do without is not worth its end: a lock that stays is taken over, a draft removed, by the next.
		const isUnharmed = refused.exitCode === 0 && (hasEnded || /^(unlink|rm|rmdir|copyFile) /.test(refused.hit!));
		const faults = [
			...(isRefused || isUnharmed ? [] : [`the run ended with ${refused.exitCode}: ${refused.stderr}`]),
			...(/\n\s+at |internal error/.test(refused.stderr) ? ['a stack is shown'] : []),
			...(await faultsOf(rig, again, expected)),
			...(calls === stages.length && paid_calls_used === stages.length
				? []
				: [`${calls} calls were made (${callsThen} before), ${paid_calls_used} are counted`]),
		];
		if (faults.length > 0) wrong.push(`${errno}${persist ? ' from then on' : ''} at ${at} (${refused.hit}):\n  ${faults.join('\n  ')}`);
	});

	console.log(
		`disk errors: ${cases.length} writes refused in turn, ${told.refused} runs ended with a message, ${told.unharmed} did without, ${told.ended} ended before, ${cases.length - wrong.length} continued to the same end with one call a stage`,
	);
	expect(wrong).toEqual([]);
	expect(told.ended).toBeLessThan(cases.length / 20);
}, 3_600_000);
