import { inTurn } from './measure.mjs';

/** What a user waits for before anything happens. */
export const coldStart = {
	name: 'cold-start',
	cheap: true,
	run: async (bed, { smoke }) => {
		bed.servant('inst', 'echo ok');
		bed.chains('inst', [3]);
		bed.packet('planned', 'task_type: review\n');
		bed.chainPacket('finished', 3);
		await bed.dispatch('run', 'finished', '-q');
		const node = (...args) => bed.time(process.execPath, args);
		const ms = await inTurn(smoke ? 1 : 15, {
			node: () => node('-e', '0'),
			version: () => bed.dispatch('--version'),
			plan: () => bed.dispatch('plan', 'planned'),
			rerun: () => bed.dispatch('run', 'finished', '-q'),
		});
		const beside = { 'node -e 0, ms': ms.node };
		return [
			{ what: 'dispatch --version', value: ms.version / ms.node, unit: '× node -e 0', most: 1.3, beside },
			{ what: 'dispatch plan <id>', value: ms.plan / ms.node, unit: '× node -e 0', most: 2, beside },
			{ what: 're-run of a finished packet', value: ms.rerun / ms.node, unit: '× node -e 0', most: 2.5, beside },
		];
	},
};
