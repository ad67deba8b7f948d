import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writePackets } from './listing.mjs';
import { end, memoryOf, pause, quantile, until } from './measure.mjs';

/** From the moment a manifest is whole to the moment its servant runs. */
export const watchDrop = {
	name: 'watch-drop',
	cheap: false,
	run: async (bed) => {
		bed.servant('inst', 'echo ok');
		bed.chains('inst', [1]);
		writePackets(bed, 1, 10); // finished ones
		const watcher = await watching(bed);
		const waits = [];
		try {
			for (let n = 0; n < 40; n++) {
				waits.push(await drop(bed, `drop-${n}`));
				await pause(50);
			}
		} finally {
			await end(watcher);
		}
		const beside = { 'p50, ms': quantile(waits, 0.5), 'longest, ms': Math.max(...waits) };
		return [{ what: 'manifest dropped → servant started, p95', value: quantile(waits, 0.95), unit: 'ms', most: 300, beside }];
	},
};

/** A watch over ten thousand packets, with as many changes as an hour may bring, as fast as it can take them. */
export const watchMemory = {
	name: 'watch-memory',
	cheap: false,
	run: async (bed) => {
		bed.servant('inst', 'echo ok');
		bed.chains('inst', [1]);
		const finished = 10_000;
		for (let n = 0; n < finished; n += 10) writePackets(bed, n + 1, n + 10);
		const watcher = await watching(bed);
		const seen = [];
		const idle = [];
		try {
			const waits = [];
			// A packet a minute, and each time some of the finished ones are touched.
			for (let n = 0; n < 60; n++) {
				waits.push(await drop(bed, `drop-${n}`));
				bed.sh(`i=1; while [ $i -le 9 ]; do touch .tmp/task/packet-0${n % 10}${n % 10}0$i/manifest.yaml; i=$((i + 1)); done`);
				seen.push(memoryOf(watcher.pid, 'VmRSS'));
			}
			const cpu = cpuOf(watcher.pid);
			await pause(5000);
			idle.push(cpuOf(watcher.pid) - cpu);
			const mib = (values) => quantile(values, 0.5) / 1024 ** 2;
			const beside = {
				'first quarter, MiB': mib(seen.slice(0, 15)),
				'last quarter, MiB': mib(seen.slice(-15)),
				'peak, MiB': memoryOf(watcher.pid, 'VmHWM') / 1024 ** 2,
				'drop → start, p50, ms': quantile(waits, 0.5),
				'drop → start, p95, ms': quantile(waits, 0.95),
				'CPU while nothing happens, %': idle[0] / 50,
			};
			return [
				{
					what: 'watch, 10,000 packets: memory, last quarter beside second',
					value: mib(seen.slice(-15)) / mib(seen.slice(15, 30)),
					unit: '×',
					most: 1.1,
					beside,
				},
			];
		} finally {
			await end(watcher);
		}
	},
};

/** A watcher that has run its first packet, so that all of it is loaded and its first look is behind it. */
async function watching(bed) {
	const child = bed.start(['watch', '--jobs', '2']);
	try {
		child.stderr.resume();
		bed.write('.tmp/task/.keep', '');
		await drop(bed, 'first');
		return child;
	} catch (error) {
		await end(child);
		throw error;
	}
}

/** Written aside and renamed, as a careful writer does it; seen when the journal names the started servant. */
async function drop(bed, id) {
	bed.write(`.tmp/aside/${id}/manifest.yaml`, `task_id: ${id}\ngoal: g\nrouting:\n  intent: chain1\n`);
	const began = Date.now();
	renameSync(join(bed.root, '.tmp/aside', id), join(bed.root, '.tmp/task', id));
	const journal = join(bed.root, '.tmp/task', id, 'state/events.jsonl');
	const started = await until(`${id} started`, () => {
		try {
			return /"time":"([^"]+)"[^\n]*"type":"stage_started"/.exec(readFileSync(journal, 'utf8'))?.[1];
		} catch {
			return null;
		}
	});
	await until(`${id} finished`, () => readFileSync(journal, 'utf8').includes('"run_finished"'));
	return Date.parse(started) - began;
}

/** CPU time in milliseconds. */
function cpuOf(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
		.replace(/^.*\) /s, '')
		.split(' ');
	return (Number(fields[11]) + Number(fields[12])) * 10;
}
