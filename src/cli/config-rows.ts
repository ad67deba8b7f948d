import type { Config, ConfigPath } from '../contract/config.ts';
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

/** Rows at or below a key; `providers.codex` and `servants.codex` are other names for `servant.codex`. */
export function rowsUnder(rows: readonly ConfigRow[], key: string): ConfigRow[] {
	const named = key
		.replace(/^dispatch\./, '')
		.replace(/^(?:servants|providers)(?=\.|$)/, 'servant')
		.replace(/^pipelines(?=\.|$)/, 'pipeline')
		.replace(/^(servant\.[^.]+)\.model$/, '$1.default_model');
	return rows.filter((row) => row.key === named || row.key.startsWith(`${named}.`));
}
