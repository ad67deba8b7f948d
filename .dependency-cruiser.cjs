// The arrows between the rooms. Each room may import what stands beside it here, and itself.
const mid = ['config', 'packet', 'prompt', 'servant', 'process', 'plan', 'gate', 'triage', 'journal', 'worktree', 'contract'];
const may = {
	contract: [],
	journal: ['contract'],
	plan: ['contract'],
	gate: ['contract'],
	triage: ['contract'],
	config: ['contract'],
	prompt: ['contract'],
	servant: ['contract'],
	process: ['contract'],
	worktree: ['contract'],
	packet: ['contract', 'journal'],
	report: ['contract', 'journal'],
	run: mid,
	queue: [...mid, 'run'],
	cli: [...mid, 'run', 'queue', 'report'],
};
const pure = ['contract', 'journal', 'plan', 'gate', 'triage', 'report'];

module.exports = {
	forbidden: [
		...Object.entries(may).map(([room, rooms]) => ({
			name: `${room}-imports-only-what-it-may`,
			severity: 'error',
			from: { path: `^src/${room}/` },
			to: { path: '^src/', pathNot: `^src/(${[room, ...rooms].join('|')})/` },
		})),
		{
			name: 'pure-rooms-touch-nothing',
			severity: 'error',
			from: { path: `^src/(${pure.join('|')})/` },
			to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|util)$' },
		},
		{ name: 'no-circles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
	],
	options: { doNotFollow: { path: 'node_modules' }, tsConfig: { fileName: 'tsconfig.json' }, tsPreCompilationDeps: true },
};
