import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from '../../scripts/import-source.mjs';
import { projectDir } from './bed.mjs';
import { median } from './measure.mjs';

/** Routing alone: no disk, no processes. */
export const plans = {
	name: 'plans',
	cheap: true,
	run: async (bed, { smoke }) => {
		const { openProject, buildPlan, servantFor, parseManifest, loadConfig, gc } = await sources();
		const count = smoke ? 200 : 10_000;
		const { resolveMs, packetsMs } = timePlans(project(openProject, bed, 4), { buildPlan, parseManifest, count });
		// The first round only warms up, or whoever comes first would seem the slower.
		const rounds = smoke ? 2 : 8;
		const most = Math.min(count, 2000);
		const opened = [4, 40].map((servants) => project(openProject, bed, servants));
		const [small, large] = mediansInTurn(rounds, opened, (one) => timePlans(one, { buildPlan, parseManifest, count: most }).resolveMs);
		const loads = mediansInTurn(rounds, [8, 80], (servants) => {
			writeConfiguration(bed, servants);
			return timed(() => loadConfig({ root: bed.root, packageDir: projectDir, userDir: null }));
		});
		const servants = Array.from({ length: rounds }, () => measureServants(servantFor, count, gc)).slice(1);
		const constructUs = median(servants.map((one) => one.constructUs));
		const retained = median(servants.map((one) => one.retained));
		return [
			{
				what: `a plan resolved, ${count} packets`,
				value: resolveMs,
				unit: 'ms',
				most: 1,
				beside: { 'with reading its manifest, ms': packetsMs },
			},
			{ what: 'a servant constructed', value: constructUs, unit: 'µs', most: 100, beside: {} },
			{ what: 'retained per servant', value: retained, unit: 'bytes', most: 1024, beside: {} },
			{
				what: '10 × the servants: time per plan',
				value: large / small,
				unit: '×',
				most: 12,
				beside: { '4 servants, ms': small, '40 servants, ms': large },
			},
			{
				what: '10 × the servants: loading',
				value: loads[1] / loads[0],
				unit: '×',
				most: 12,
				beside: { '8 servants, ms': loads[0], '80 servants, ms': loads[1] },
			},
		];
	},
};

async function sources() {
	const [{ openProject }, { buildPlan }, { servantFor }, { parseManifest }, { loadConfig }] = await Promise.all(
		['run/project', 'plan/build-plan', 'servant/servants', 'config/load-manifest', 'config/load-config'].map((name) =>
			importSource(`src/${name}.ts`),
		),
	);
	const { setFlagsFromString } = await import('node:v8');
	const { runInNewContext } = await import('node:vm');
	setFlagsFromString('--expose-gc');
	return { openProject, buildPlan, servantFor, parseManifest, loadConfig, gc: runInNewContext('gc') };
}

function project(openProject, bed, servants) {
	writeConfiguration(bed, servants);
	const opened = openProject({ root: bed.root, packageDir: projectDir, userDir: null });
	if (!opened.ok) throw new Error(opened.failures.map((one) => one.message).join('; '));
	return opened.value;
}

/** Every servant with models, task types and stage models of its own, so that there is something to look through. */
function writeConfiguration(bed, servants) {
	rmSync(join(bed.root, 'configs'), { recursive: true, force: true });
	const names = Array.from({ length: servants }, (_, n) => `tool${n}`);
	for (const name of names) {
		const models = Array.from({ length: 10 }, (_, n) => `  - ${name}-model-${n}\n`).join('');
		bed.servant(name, 'echo ok', `default_model: ${name}-model-0\nallowed_models:\n${models}`);
	}
	bed.write('configs/dispatch.yaml', `provider: tool0\ntask_providers:\n  review: tool1\n  implement: tool2\n`);
}

const types = ['review', 'implement', 'explore', 'plan'];

function timePlans({ config, roles }, { buildPlan, parseManifest, count }) {
	const began = performance.now();
	const manifests = Array.from({ length: count }, (_, n) => {
		const text = `task_id: p${n}\ngoal: Goal ${n}\ntask_type: ${types[n % types.length]}\nscope:\n  allow: [src/**]\n`;
		const parsed = parseManifest(Buffer.from(text), `p${n}/manifest.yaml`, `p${n}`);
		if (!parsed.ok) throw new Error(parsed.failures[0].message);
		return parsed.value.manifest;
	});
	const parsed = performance.now();
	for (const manifest of manifests) {
		const built = buildPlan({ manifest, manifestSource: (path) => path.join('.'), config, roles: roles.roles, flags: {}, env: {} });
		if (!built.ok) throw new Error(built.failures[0].message);
	}
	const done = performance.now();
	return { resolveMs: (done - parsed) / count, packetsMs: (done - began) / count };
}

function measureServants(servantFor, count, gc) {
	const file = { command: 'agent', args: ['--print', '{model}'], prompt: 'stdin', output: 'jsonl' };
	for (let n = 0; n < 1000; n++) servantFor(`warm${n}`, file);
	gc();
	const before = process.memoryUsage().heapUsed;
	const began = performance.now();
	const kept = Array.from({ length: count }, (_, n) => servantFor(`tool${n % 10}`, file));
	const constructUs = ((performance.now() - began) / count) * 1000;
	gc();
	const retained = (process.memoryUsage().heapUsed - before) / kept.length;
	return { constructUs, retained: Math.max(0, retained) };
}

function mediansInTurn(rounds, things, measure) {
	const seen = Array.from({ length: rounds }, () => things.map(measure)).slice(1);
	return things.map((_, at) => median(seen.map((round) => round[at])));
}

function timed(work) {
	const began = performance.now();
	work();
	return performance.now() - began;
}
