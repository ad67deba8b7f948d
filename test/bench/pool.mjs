import { inTurn } from './measure.mjs';

const packets = 200;
const stages = 3;
const rounds = 2;

/** Many small packets at once, beside a shell that runs the same commands and keeps no books. */
export const pool = {
	name: 'pool',
	cheap: false,
	run: async (bed) => {
		bed.servant('inst', 'echo ok');
		bed.chains('inst', [stages]);
		const ids = Array.from({ length: packets }, (_, n) => `p${String(n).padStart(3, '0')}`);
		let round = 0;
		const renew = () => {
			// Put aside, not removed: a file system that has just freed thousands of inodes is slow to give new ones.
			bed.sh(`mkdir -p ../old; [ ! -e .tmp ] || mv .tmp ../old/${++round}`);
			for (const id of ids) bed.chainPacket(id, stages);
			bed.sh('sync');
		};
		const ms = await inTurn(rounds, {
			work: () => {
				renew();
				return bed.dispatch('work', '--all', '--jobs', '8', '-q');
			},
			xargs: () => {
				const plain = `plain-${++round}`;
				bed.sh(`mkdir -p ${plain}; sync`);
				const each = `mkdir -p ${plain}/$0; ${Array.from({ length: stages }, (_, n) => `inst-cli > ${plain}/$0/${n}`).join(' && ')}`;
				return bed.time('/bin/sh', ['-c', `printf '%s\\n' ${ids.join(' ')} | xargs -P 8 -n 1 sh -c '${each}'`]);
			},
			runs: () => {
				renew();
				return bed.time('/bin/sh', ['-c', `printf '%s\\n' ${ids.join(' ')} | xargs -P 8 -n 1 ${process.execPath} ${bed.binary} run -q`]);
			},
		});
		const beside = { 'work --all, ms': ms.work, 'xargs -P 8 of the bare commands, ms': ms.xargs, 'xargs -P 8 dispatch run, ms': ms.runs };
		return [
			{
				what: `${packets} packets × ${stages} stages, --jobs 8`,
				value: ms.runs / ms.work,
				unit: '× xargs dispatch run',
				least: 0.8,
				beside,
			},
			// The goal can be read either way, so it is held to both: here the bare commands, which keep no prompt, journal or summary.
			{ what: 'the same beside the bare commands', value: ms.xargs / ms.work, unit: '× xargs, bare commands', least: 0.8, beside },
		];
	},
};
