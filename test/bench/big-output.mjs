import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median, memoryOf, pause } from './measure.mjs';

/** A servant that writes a gigabyte: it goes straight to a file, and we must keep pace in little memory. */
export const bigOutput = {
	name: 'big-output',
	cheap: false,
	run: async (bed) => {
		const gibibyte = 1024 ** 3;
		const source = join(bed.base, 'gibibyte');
		bed.sh(`yes 'a line of some length that a servant might well have written into its answer' | head -c ${gibibyte} > ${source}`);
		bed.servant('inst', `exec cat ${source}`);
		bed.chains('inst', [1]);
		const copy = join(bed.base, 'copy');
		const runs = [];
		const copies = [];
		let peak = 0;
		for (let round = 0; round < 3; round++) {
			copies.push(await bed.time('/bin/sh', ['-c', `cat ${source} > ${copy} && sync ${copy}`]));
			rmSync(copy);
			bed.chainPacket(`big-${round}`, 1);
			const { ms, most } = await watchedRun(bed, `big-${round}`);
			runs.push(ms);
			peak = Math.max(peak, most);
			rmSync(join(bed.root, `.tmp/task/big-${round}`), { recursive: true });
			bed.sh('sync');
		}
		const beside = { 'dispatch, ms': median(runs), 'cat + sync, ms': median(copies), 'sha256 of it alone, ms': await hashed(source) };
		return [
			{ what: '1 GiB of output: peak memory', value: peak / 1024 ** 2, unit: 'MiB', most: 150 * (1e6 / 1024 ** 2), beside },
			{ what: '1 GiB of output: speed', value: median(copies) / median(runs), unit: '× cat', least: 0.5, beside },
		];
	},
};

/** The answer's hash is promised: a processor without instructions for it may need longer than the disk. */
async function hashed(file) {
	const began = performance.now();
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk);
	hash.digest();
	return performance.now() - began;
}

async function watchedRun(bed, id) {
	const began = performance.now();
	const child = bed.start(['run', id, '-q']);
	const ended = new Promise((resolve) => child.once('exit', resolve));
	let running = true;
	let most = 0;
	const code = ended.finally(() => {
		running = false;
	});
	while (running) {
		try {
			most = Math.max(most, memoryOf(child.pid, 'VmHWM'));
		} catch {
			// It has just ended.
		}
		await Promise.race([pause(20), code]);
	}
	if ((await code) !== 0) throw new Error(`the run of ${id} failed`);
	return { ms: performance.now() - began, most };
}
