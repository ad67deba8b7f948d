import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { answers, codexSays, copilotSays, geminiSays, type Ran, Rig } from '../rig.ts';

const shim = fileURLToPath(new URL('./shim.mjs', import.meta.url));

export const stages = ['gemini_brief', 'codex_impl', 'codex_verify', 'gemini_review', 'codex_review', 'copilot_review_consolidate'];

const pipeline = {
	pipeline: 'whole',
	default_profile: 'whole',
	profiles: {
		whole: {
			stages,
			needs: {
				codex_impl: ['gemini_brief'],
				codex_verify: ['codex_impl'],
				gemini_review: ['codex_verify'],
				codex_review: ['codex_verify'],
				copilot_review_consolidate: ['gemini_review', 'codex_review'],
			},
		},
	},
};

const everything = [answers.brief, answers.review, 'PASS'].join('\n\n');
const writes = 'case "$*" in *workspace-write*) echo two >> src/a.txt;; esac';

/**
 * A packet that goes everywhere: a brief with its hand-off, a writer, a verification with a command, two reviews side by side and their
 * consolidation. Each servant keeps its own log of calls; `before` is what it does between that and its answer.
 */
export async function wholeRig(before = ''): Promise<Rig> {
	const rig = await Rig.create();
	await rig.servant('gemini', geminiSays(everything, before));
	await rig.servant('codex', codexSays(everything, `${writes}\n${before}`));
	await rig.servant('copilot', copilotSays(everything, before));
	await rig.write('configs/pipeline/whole.yaml', stringify(pipeline));
	await rig.sh('git add -A && git commit -q -m configured');
	await rig.packet(
		'p',
		{ routing: { intent: 'whole' }, scope: { allow: ['src'] }, acceptance: { commands: ['true'] }, budgets: { paid_call_budget: 40 } },
		{ 'user_request.md': 'Please.\n', 'context_pack.md': '# Old pack\n' },
	);
	return rig;
}

/** What the shim is told; see there. */
export interface Crash {
	readonly mode: 'count' | 'freeze' | 'kill-wrapper' | 'kill-before' | 'kill-after' | 'errno' | 'cut-before' | 'cut-after';
	readonly at?: number;
	readonly errno?: string;
	readonly persist?: boolean;
	readonly seed?: string;
	readonly boot?: string;
}

export interface Crashed extends Ran {
	/** The operation it happened at; null when the run ended before it came so far. */
	readonly hit: string | null;
}

export async function runWith(rig: Rig, crash: Crash, args: readonly string[] = ['run', 'p']): Promise<Crashed> {
	const reportFile = join(rig.base, 'report');
	const { mode, at = 0, errno, persist, seed, boot } = crash;
	const env = {
		CRASH_ROOT: join(rig.root, '.tmp'),
		CRASH_REPORT: reportFile,
		CRASH_MODE: mode,
		CRASH_AT: String(at),
		...(errno ? { CRASH_ERRNO: errno } : {}),
		...(persist ? { CRASH_PERSIST: '1' } : {}),
		...(seed ? { CRASH_SEED: seed } : {}),
		...(boot ? { CRASH_BOOT: boot } : {}),
	};
	const ran = await rig.start(args, { node: ['--import', shim], env }).ended;
	const hit = mode !== 'count' && existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : null;
	return { ...ran, hit };
}

/** The operations of an undisturbed run, in order. */
export async function operationsOf(rig: Rig): Promise<string[]> {
	const ran = await runWith(rig, { mode: 'count' });
	expect(ran.stderr).toBe('');
	expect(ran.exitCode).toBe(0);
	return readFileSync(join(rig.base, 'report'), 'utf8').split('\n');
}

/** A moment has passed: a lock's half-written draft is no longer one that somebody may be writing. */
export function ageDrafts(rig: Rig): void {
	for (const file of filesBelow(join(rig.root, '.tmp'))) if (/\.lock\.[0-9a-f]+\.tmp$/.test(file)) utimesSync(file, 1, 1);
}

/** All that a user can see of a finished packet, without what differs from run to run: times, pids, attempt numbers. */
export async function outcomeOf(rig: Rig): Promise<Record<string, string>> {
	const dir = join(rig.root, '.tmp/task/p');
	const shown = filesBelow(dir)
		.map((file) => relative(dir, file))
		.filter((name) => !name.startsWith('outputs/attempts/') && name !== 'state/events.jsonl');
	return {
		...Object.fromEntries(shown.map((name) => [steady(name), steady(readFileSync(join(dir, name), 'utf8'), name)])),
		'work tree': await rig.read('src/a.txt'),
	};
}

/** Things that tell when and for how long, or which try it was. */
function steady(text: string, name = ''): string {
	if (name.endsWith('wrapper.log')) return 'a log';
	return text
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
		.replace(/(context_pack\.before\.\w+\.)\d+/, '$1N')
		.replaceAll(/("attempt": ?)\d+/g, '$1N')
		.replaceAll(/("adopted": )\w+/g, '$1B')
		.replaceAll(/("(?:duration_sec|durationSec|start|end)": ?)[^,\n]+/g, '$1T')
		.replaceAll(/\| ?[\d.]+ s ?\|/g, '| T |')
		.replaceAll(/^(\| \w+ +\| \w+ +\|) \d+ +\|[^|]*\|/gm, '$1 N | T |');
}

export function filesBelow(dir: string): string[] {
	if (!existsSync(dir)) return [];
	return readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

/** Drafts, locks and scratch files that nobody owns any more. */
export function leftovers(rig: Rig): string[] {
	const tmp = join(rig.root, '.tmp');
	const files = filesBelow(tmp).filter((file) => /\.tmp$|\/lock(\.after\.\w+)?$|\/index-\d+-\w+(\.lock)?$/.test(file));
	const dirs = existsSync(join(tmp, 'tmp')) ? readdirSync(join(tmp, 'tmp')).map((name) => join(tmp, 'tmp', name)) : [];
	return [...files, ...dirs].map((file) => relative(tmp, file));
}

/** Done markers that are whole, and whose answer is not: neither under its name nor where its attempt keeps it. */
export function hollowMarkers(rig: Rig): string[] {
	const dir = join(rig.root, '.tmp/task/p');
	return filesBelow(join(dir, 'done'))
		.filter((file) => file.endsWith('.done'))
		.filter((file) => {
			const text = readFileSync(file, 'utf8');
			if (!text.endsWith('\n')) return false;
			const { stage, attempt, out_sha256 } = JSON.parse(text) as { stage: string; attempt: number; out_sha256: string };
			const own = join(dir, 'outputs/attempts', stage, String(attempt));
			return !existsSync(join(own, 'meta.json')) || sha256(join(own, 'out')) !== out_sha256;
		});
}

const sha256 = (file: string): string | null => (existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : null);

/** What is not as it should be at the end of a continued run, in words. */
export async function faultsOf(rig: Rig, last: Ran, expected: Record<string, string>): Promise<string[]> {
	const outcome = await outcomeOf(rig);
	const names = [...new Set([...Object.keys(outcome), ...Object.keys(expected)])];
	return [
		...(last.exitCode === 0 ? [] : [`the last run ended with ${last.exitCode}: ${last.stderr}${last.stdout}`]),
		...names.filter((name) => outcome[name] !== expected[name]).map((name) => difference(name, outcome[name], expected[name])),
		...leftovers(rig).map((file) => `left over: ${file}`),
		...rig.living().map((pid) => `still running: ${pid}`),
	];
}

function difference(name: string, found: string | undefined, expected: string | undefined): string {
	if (found === undefined || expected === undefined) return `${name} ${found === undefined ? 'is missing' : 'should not be there'}`;
	const lines = expected.split('\n');
	const at = found.split('\n').findIndex((line, n) => line !== lines[n]);
	return `${name} differs in line ${at + 1}: ${found.split('\n')[at]} (expected: ${lines[at]})`;
}

export const isFull = process.env.DISPATCH_SWEEP === 'full';

/** All operations, or of each kind (what is done to which file, whatever the stage) one: not always the first stage's. */
export function representatives(operations: readonly string[]): number[] {
	if (isFull) return operations.map((_, n) => n + 1);
	const kinds = new Map<string, number[]>();
	for (const [n, name] of operations.entries()) kinds.set(kindOf(name), [...(kinds.get(kindOf(name)) ?? []), n + 1]);
	return [...kinds.values()].map((same, n) => same[n % same.length]!).sort((a, b) => a - b);
}

const kindOf = (operation: string): string =>
	operation
		.replaceAll(/(gemini|codex|copilot)[_.](review_consolidate|brief|impl|verify|review)(\.(gemini|codex|copilot))?/g, 'STAGE')
		.replaceAll(/[0-9a-f]{12,}/g, 'HEX')
		.replaceAll(/\/\d+(?=\/|$)/g, '/N')
		.replaceAll(/\.\d+\.tmp|index-\d+-\w+/g, 'PID');

/** Runs cases a few at a time, in order of their starting. */
export async function eachOf<T>(cases: readonly T[], run: (one: T) => Promise<void>, atOnce = 3): Promise<void> {
	const waiting = [...cases];
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await run(one);
		}),
	);
}
