import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A module of the sources, for scripts: Node 20 reads no TypeScript by itself. */
export async function importSource(file) {
	const dir = await mkdtemp(join(tmpdir(), 'dispatch-build-'));
	try {
		const outfile = join(dir, 'module.mjs');
		const banner = { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" };
		await build({
			absWorkingDir: root,
			entryPoints: [file],
			outfile,
			bundle: true,
			format: 'esm',
			platform: 'node',
			target: 'node20',
			banner,
		});
		return await import(pathToFileURL(outfile).href);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}
