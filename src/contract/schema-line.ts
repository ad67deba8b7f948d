import type { SchemaName } from './json-schemas.ts';

/** The line that makes editors check and complete a YAML file, by where the file lies. */
export function schemaLine(kind: SchemaName): string {
	const up = { manifest: '../../../configs/', servant: '../', pipeline: '../', dispatch: './' }[kind];
	return `# yaml-language-server: $schema=${up}schemas/${kind}.schema.json`;
}
