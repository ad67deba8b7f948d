import type { Config, ConfigLayer, ConfigPath } from '../contract/config.ts';
import { own } from '../contract/own.ts';
import type { Level } from '../contract/plan.ts';

/** One place where a value may stand. */
export interface Candidate<T> {
	readonly level: string;
	/** Absent, or an empty string, which counts as absent. */
	readonly value: T | undefined;
	/** Asked for only where there is a value: finding a line in a file costs time. */
	readonly source: () => string;
	readonly layer: 'user' | 'defaults';
	/** Why the value is passed over although it is there. */
	readonly refused?: string | null;
}

export interface Walked<T> {
	readonly value: T | null;
	readonly source: string | null;
	readonly winner: Candidate<T> | null;
	readonly levels: readonly Level[];
}

/**
 * The first candidate with a value: all of the user's in order, then all of the package's, so that a default never hides
 * a user's word however early in the list it stands.
 */
export function walk<T extends string | number>(candidates: readonly Candidate<T>[]): Walked<T> {
	let winner: Candidate<T> | null = null;
	let source: string | null = null;
	const levels: Level[] = [];
	for (const layer of ['user', 'defaults'] as const) {
		for (const candidate of candidates) {
			if (candidate.layer !== layer) continue;
			const value = candidate.value === '' ? undefined : candidate.value;
			const won = winner === null && value !== undefined && !candidate.refused;
			const from = value === undefined ? null : candidate.source();
			if (won) [winner, source] = [candidate, from];
			const level = candidate.refused && value !== undefined ? `${candidate.level} (${candidate.refused})` : candidate.level;
			levels.push({ level, value: value ?? null, source: from, won });
		}
	}
	return { value: winner?.value ?? null, source, winner, levels };
}

/** Something the manifest, a flag or the environment says. */
export function said<T>(level: string, value: T | undefined, source: () => string): Candidate<T> {
	return { level, value, source, layer: 'user' };
}

/** What stands in configuration, once as the user's and once as the package's. */
export function configured<T>(config: Config, level: string, path: ConfigPath): readonly Candidate<T>[] {
	return [inLayer(config, 'user', level, path), inLayer(config, 'defaults', level, path)];
}

export function inLayer<T>(config: Config, layer: 'user' | 'defaults', level: string, path: ConfigPath): Candidate<T> {
	return {
		level: layer === 'user' ? level : `${level} (package)`,
		value: valueAt(config[layer], path) as T | undefined,
		source: () => placeOf(config, layer, path),
		layer,
	};
}

/** What counts when nobody says anything. */
export function builtIn<T>(level: string, value: T): Candidate<T> {
	return { level, value, source: () => 'package default', layer: 'defaults' };
}

/** Where a value of the merged configuration was written. */
export function sourceOf(config: Config, path: ConfigPath): string {
	return config.source('user', path) ?? config.source('defaults', path) ?? 'package default';
}

function placeOf(config: Config, layer: 'user' | 'defaults', path: ConfigPath): string {
	return config.source(layer, path) ?? (layer === 'user' ? 'configuration' : 'package default');
}

function valueAt(layer: ConfigLayer, path: ConfigPath): unknown {
	let value: unknown = layer;
	for (const key of path) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = own(value as Record<string, unknown>, key);
	}
	return value;
}
