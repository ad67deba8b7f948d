// Numbers from repeated runs: medians, because a machine that does other things spoils single ones.
import { readFileSync } from 'node:fs';

export const sorted = (values) => [...values].sort((a, b) => a - b);
export const median = (values) => quantile(values, 0.5);

export function quantile(values, q) {
	const order = sorted(values);
	const at = (order.length - 1) * q;
	const low = Math.floor(at);
	return order[low] + (order[Math.min(low + 1, order.length - 1)] - order[low]) * (at - low);
}

/** Runs the given things in turn, round after round, so that all of them meet the same weather; medians by name. */
export async function inTurn(rounds, things) {
	const seen = Object.fromEntries(Object.keys(things).map((name) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const [name, run] of Object.entries(things)) seen[name].push(await run(round));
	}
	return Object.fromEntries(Object.entries(seen).map(([name, values]) => [name, median(values)]));
}

/** Memory of a living process, in bytes: `VmHWM` is its peak, `VmRSS` what it holds now. */
export function memoryOf(pid, field) {
	const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
	return found === null ? 0 : Number(found[1]) * 1024;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(what, holds, seconds = 20) {
	const deadline = performance.now() + seconds * 1000;
	for (let value = await holds(); ; value = await holds()) {
		if (value) return value;
		if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
		await pause(2);
	}
}

/** Ends a process that we started, and waits until it is gone. */
export async function end(child) {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	const late = setTimeout(() => child.kill('SIGKILL'), 5000);
	await gone;
	clearTimeout(late);
}
