import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn } from './measure.mjs';

/** Packets as a year of use leaves them: most are finished, some wait, some of these for others. */
export function writePackets(bed, from, to) {
	for (let n = from; n < to; n++) {
		const id = `packet-${String(n).padStart(5, '0')}`;
		const isDone = n % 10 !== 0;
		const needs = !isDone && n % 20 === 0 && n > 20 ? `depends_on: packet-${String(n - 10).padStart(5, '0')}\n` : '';
		bed.packet(id, `task_type: review\ngroup: group-${n % 50}\n${needs}`);
		if (isDone) bed.write(`.tmp/task/${id}/state/events.jsonl`, journalOf(id));
	}
}

function journalOf(id) {
	const time = '2026-01-01T00:00:00.000Z';
	const events = [
		{ time, task_id: id, type: 'run_started', version: '0.1.0', pid: 1, flags: {}, rerun: [], plan_stages: ['gemini_review'] },
		{ time, task_id: id, type: 'run_finished', status: 'completed', exit_code: 0, next_action: 'none: nothing to do' },
	];
	return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** `next` and `status` over many packets: with the cache as daily use has it, and without any. */
export const listing = {
	name: 'listing',
	cheap: true,
	run: async (bed, { smoke }) => {
		const sizes = smoke ? [100] : [100, 1000, 10_000];
		const most = sizes.at(-1);
		const ms = {};
		for (const [at, size] of sizes.entries()) {
			writePackets(bed, at === 0 ? 0 : sizes[at - 1], size);
			const forget = () => rmSync(join(bed.root, '.tmp/cache'), { recursive: true, force: true });
			const cold = await inTurn(smoke ? 1 : 3, {
				'next, no cache': () => {
					forget();
					return bed.dispatch('next');
				},
			});
			const warm = await inTurn(smoke ? 1 : 7, {
				next: () => bed.dispatch('next'),
				status: () => bed.dispatch('status'),
				start: () => bed.dispatch('next', '--help'),
				'find + stat': () => bed.time('/bin/sh', ['-c', 'find .tmp/task -type f -print0 | xargs -0 stat -c "%n %Y %s" > /dev/null']),
			});
			ms[size] = { ...cold, ...warm };
		}
		const beside = (size) => Object.fromEntries(Object.entries(ms[size]).map(([name, value]) => [`${name} (${size}), ms`, value]));
		const rows = ['next', 'status', 'next, no cache'].map((name) => ({
			what: `dispatch ${name}, ${most} packets`,
			value: ms[most][name] / 1000,
			unit: 's',
			// Without a cache everything must be read once; that is told, not promised.
			...(name === 'next, no cache' ? {} : { most: 1 }),
			beside: beside(most),
		}));
		if (smoke) return rows;
		// Start-up is the same for all sizes; what is left must not grow faster than the packets do.
		// Below five microseconds a packet it is noise.
		const each = (name, size) => Math.max(0.005, (ms[size][name] - ms[size].start) / size);
		const growth = ['next', 'status'].map((name) => ({
			what: `${name}: time per packet, 10,000 beside 1,000`,
			value: each(name, 10_000) / each(name, 1000),
			unit: '×',
			most: 1.5,
			beside: { ...beside(100), ...beside(1000) },
		}));
		return [...rows, ...growth];
	},
};
