import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectDir } from './bed.mjs';
import { inTurn } from './measure.mjs';

const length = 50;

/** What a stage costs beside its servant: the time of a long chain less that of a chain of one, by stage. */
export const stageChain = {
	name: 'stage-chain',
	cheap: false,
	run: async (bed) => {
		bed.servant('inst', 'echo ok');
		bed.chains('inst', [1, length]);
		writeWireit(bed);
		writeMakefile(bed);
		let packets = 0;
		const chain = (n) => () => {
			const id = `chain-${++packets}`;
			bed.chainPacket(id, n);
			return bed.dispatch('run', id, '-q');
		};
		const wireit = (n) => () =>
			bed.time(process.execPath, [join(projectDir, 'node_modules/wireit/bin/wireit.js')], {
				cwd: join(bed.root, 'wireit'),
				env: {
					npm_lifecycle_event: `s${n}`,
					npm_package_json: join(bed.root, 'wireit/package.json'),
					npm_execpath: 'npm',
					WIREIT_LOGGER: 'quiet',
				},
			});
		const make = (n) => () => bed.time('make', ['-s', '-B', `s${n}`]);
		const bare = (n) => () => bed.time('/bin/sh', ['-c', `i=0; while [ $i -lt ${n} ]; do sh -c inst-cli; i=$((i + 1)); done`]);
		const snakemake = (n) => () => bed.time('snakemake', ['-q', '-F', '-c1', '--nolock', `s${n}`], { cwd: join(bed.root, 'snake') });
		const tools = { dispatch: chain, wireit, bare, ...(has('make') ? { make } : {}), ...(has('snakemake') ? { snakemake } : {}) };
		if (tools.snakemake) writeSnakefile(bed);
		const runs = Object.entries(tools).flatMap(([name, run]) => [1, length].map((n) => [`${name} ${n}`, run(n)]));
		const ms = await inTurn(5, Object.fromEntries(runs));
		const each = Object.fromEntries(Object.keys(tools).map((name) => [name, (ms[`${name} ${length}`] - ms[`${name} 1`]) / (length - 1)]));
		const beside = Object.fromEntries(
			Object.entries(each).map(([name, value]) => [name === 'bare' ? 'bare sh -c, ms' : `${name}, ms`, value]),
		);
		return [
			{ what: `overhead per stage, ${length} chained`, value: each.dispatch - each.bare, unit: 'ms over bare sh -c', most: 10, beside },
			{ what: 'stage beside a wireit script', value: each.dispatch / each.wireit, unit: '× wireit', most: 1, beside },
		];
	},
};

function has(program) {
	try {
		execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

const numbers = Array.from({ length }, (_, at) => at + 1);

function writeWireit(bed) {
	const scripts = Object.fromEntries(numbers.map((n) => [`s${n}`, 'wireit']));
	const wireit = Object.fromEntries(numbers.map((n) => [`s${n}`, { command: 'inst-cli', dependencies: n === 1 ? [] : [`s${n - 1}`] }]));
	bed.write('wireit/package.json', JSON.stringify({ name: 'chain', version: '1.0.0', scripts, wireit }));
}

function writeMakefile(bed) {
	const rules = numbers.map((n) => `s${n}: ${n === 1 ? '' : `s${n - 1}`}\n\tinst-cli > out${n}\n`);
	bed.write('Makefile', `.PHONY: ${numbers.map((n) => `s${n}`).join(' ')}\n${rules.join('')}`);
}

function writeSnakefile(bed) {
	const rules = numbers.map(
		(n) => `rule r${n}:\n    output: "s${n}"\n${n === 1 ? '' : `    input: "s${n - 1}"\n`}    shell: "inst-cli > {output}"\n`,
	);
	bed.write('snake/Snakefile', rules.join('\n'));
}
