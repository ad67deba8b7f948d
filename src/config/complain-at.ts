import type { Complaint } from '../contract/complaint.ts';
import type { YamlPath } from './yaml-node.ts';
import type { ReadYaml } from './yaml-reading.ts';

export interface Where {
	readonly what?: 'key' | 'value';
	readonly level?: 'error' | 'warning';
}

/** A complaint that points at a path of a file. */
export function complainAt(yaml: ReadYaml, path: YamlPath, message: string, { what = 'value', level = 'error' }: Where = {}): Complaint {
	const { line, col } = yaml.locate(path, what);
	return { level, file: yaml.file, line, col, message, excerpt: yaml.excerpt(line) };
}

export function byPlace(a: Complaint, b: Complaint): number {
	return (a.line ?? 0) - (b.line ?? 0) || (a.col ?? 0) - (b.col ?? 0);
}
