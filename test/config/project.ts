import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { renderComplaint } from '../../src/contract/complaint.ts';

export const packageRoot = resolve(import.meta.dirname, '../..');

/** A temporary project; files by path. `user/…` lies in the user's own configuration directory. */
export function project(files: Record<string, string | Uint8Array>) {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-config-'));
	const root = join(dir, 'root');
	mkdirSync(root);
	for (const [name, text] of Object.entries(files)) {
		const path = name.startsWith('user/') ? join(dir, name) : join(root, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	const load = () => loadConfig({ root, packageDir: packageRoot, userDir: join(dir, 'user') });
	return { root, dir, load, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The configuration of such a project. */
export function loaded(files: Record<string, string>): LoadedConfig {
	using made = project(files);
	const result = made.load();
	if (!result.ok) throw new Error(result.failures.map(renderComplaint).join('\n'));
	return result.value;
}

/** What is said about such a project, as the user sees it. */
export function said(files: Record<string, string | Uint8Array>): string {
	using made = project(files);
	const result = made.load();
	return (result.ok ? result.value.warnings : result.failures).map(renderComplaint).join('\n');
}

/** Lines without the indentation of the test around them. */
export function text(lines: string): string {
	const [, ...rest] = lines.replace(/\n\t*$/, '').split('\n');
	const indent = /^\t*/.exec(rest[0] ?? '')![0].length;
	return rest.map((line) => line.slice(indent)).join('\n');
}
