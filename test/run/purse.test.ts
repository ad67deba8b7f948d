import { expect, test } from 'vitest';
import { purseOf } from '../../src/run/purse.ts';

test.each([
	[1, 'the one call of --max-calls is used'],
	[2, 'all 2 calls of --max-calls are used'],
])('of %d calls it says so when they are used', (maxCalls, words) => {
	const purse = purseOf({ maxCalls, maxCostUsd: null });
	for (let n = 0; n < maxCalls; n++) expect([purse.empty(), purse.takeCall()]).toEqual([null, true]);
	expect([purse.empty(), purse.takeCall()]).toEqual([words, false]);
});
