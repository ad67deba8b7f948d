import { knownKeys, type Schema, schemaAt } from '../config/schema-walk.ts';
import type { Config, ConfigPath } from '../contract/config.ts';
import { DispatchFile } from '../contract/dispatch-file.ts';
import { PipelineFile } from '../contract/pipeline-file.ts';
import { ServantFile } from '../contract/servant-file.ts';
import type { ConfigRow } from '../report/plan-table.ts';

/**
 * Every value of the merged configuration with its source. Keys are named for the files: `servant.codex.default_model`,
 * `pipeline.review.default_profile`, and what is in dispatch.yaml by its own name.
 */
export function configRows({ merged, source }: Config): ConfigRow[] {
	const rows: ConfigRow[] = [];
	const walk = (value: unknown, path: ConfigPath, key: string): void => {
		if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
			for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name], key === '' ? name : `${key}.${name}`);
		} else if (value !== undefined) {
			rows.push({ key, value, source: source('user', path) ?? source('defaults', path) ?? 'package default' });
		}
	};
	walk(merged.dispatch, ['dispatch'], '');
	walk(merged.servants, ['servants'], 'servant');
	walk(merged.pipelines, ['pipelines'], 'pipeline');
	return rows;
}

/** Rows at or below a key. */
export function rowsUnder(rows: readonly ConfigRow[], key: string): ConfigRow[] {
	const named = fullKey(key);
	return rows.filter((row) => row.key === named || row.key.startsWith(`${named}.`));
}

/** Whether such a key may be set: of a servant or a group that there is, or in dispatch.yaml. */
export function isConfigKey({ merged }: Config, key: string): boolean {
	const [kind = '', name = '', ...path] = fullKey(key).split('.');
	if (kind === 'servant') return Object.hasOwn(merged.servants, name) && hasKey(ServantFile, path);
	if (kind === 'pipeline') return Object.hasOwn(merged.pipelines, name) && hasKey(PipelineFile, path);
	return hasKey(DispatchFile, fullKey(key).split('.'));
}

function hasKey(schema: Schema, path: readonly string[]): boolean {
	if (schemaAt(schema, path) === undefined) return false;
	return path.every((step, at) => knownKeys(schemaAt(schema, path.slice(0, at))!)?.includes(step) ?? true);
}

/** `providers.codex` and `servants.codex` are other names for `servant.codex`. */
const fullKey = (key: string): string =>
	key
		.replace(/^dispatch\./, '')
		.replace(/^(?:servants|providers)(?=\.|$)/, 'servant')
		.replace(/^pipelines(?=\.|$)/, 'pipeline')
		.replace(/^(servant\.[^.]+)\.model$/, '$1.default_model');
