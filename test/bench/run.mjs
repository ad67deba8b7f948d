// npm run bench [-- name… | --smoke | --plot]: every figure is measured here and now, beside what people use instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Bed, benchDir, installProgram, projectDir } from './bed.mjs';
import { bigOutput } from './big-output.mjs';
import { coldStart } from './cold-start.mjs';
import { listing } from './listing.mjs';
import { plans } from './plans.mjs';
import { plot } from './plot.mjs';
import { pool } from './pool.mjs';
import { reviewCross } from './review-cross.mjs';
import { stageChain } from './stage-chain.mjs';
import { isShort, renderRow, renderTable } from './table.mjs';
import { watchDrop, watchMemory } from './watch-drop.mjs';

const all = [coldStart, stageChain, reviewCross, listing, plans, bigOutput, pool, watchDrop, watchMemory];

const words = process.argv.slice(2);
const smoke = words.includes('--smoke');
const wanted = words.filter((word) => !word.startsWith('--'));
const unknown = wanted.filter((name) => !all.some((one) => one.name === name));
if (unknown.length > 0) {
	console.error(`there is no benchmark ${unknown.join(', ')}; there are ${all.map((one) => one.name).join(', ')}`);
	process.exit(2);
}
const chosen = all.filter((one) => (wanted.length > 0 ? wanted.includes(one.name) : !smoke || one.cheap));

const program = installProgram();
const rows = [];
const broken = [];
const beds = [];
try {
	for (const bench of chosen) {
		const bed = new Bed(bench.name, program.binary);
		bed.sh('sync');
		try {
			for (const row of await bench.run(bed, { smoke })) {
				rows.push({ bench: bench.name, ...row });
				console.error(renderRow(rows.at(-1)));
			}
		} catch (error) {
			broken.push(bench.name);
			console.error(`${bench.name} broke: ${error.stack}`);
		} finally {
			beds.push(bed);
			if (!smoke) keep();
		}
	}
} finally {
	// Only now: a file system that has just freed thousands of inodes is slow to give new ones, and the next figure would tell of that.
	for (const bed of beds) bed.remove();
	program.remove();
}

console.log(renderTable(rows));
// A smoke test shows that the benchmarks work; how fast they are is no question for a busy machine.
process.exitCode = broken.length > 0 || (!smoke && rows.some(isShort)) ? 1 : 0;

/** Each benchmark's newest figures, kept as soon as they are there: a run that is cut short has not been for nothing. */
function keep() {
	const file = join(benchDir, 'results.json');
	const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).rows : [];
	const done = new Set([...rows.map((row) => row.bench), ...broken]);
	const kept = all.flatMap(({ name }) => (done.has(name) ? rows : before).filter((row) => row.bench === name));
	const machine = { node: process.version, platform: `${process.platform} ${process.arch}`, cpus: cpus().length, load: loadavg()[0] };
	mkdirSync(benchDir, { recursive: true });
	writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...machine, rows: kept }, null, 2)}\n`);
	if (words.includes('--plot')) writeFileSync(join(projectDir, 'docs/performance.svg'), plot(kept));
}
