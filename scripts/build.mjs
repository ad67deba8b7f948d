// Bundles all commands into one file; the packages we use are bundled too, so an install needs no network.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { describeSchemas, zodImport, zodSetting } from './bundle/describe-schemas.mjs';
import { importSource, root } from './import-source.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The package's configuration and templates are parsed here, once, and not at every start of an installed dispatcher. */
const precompiled = {
	name: 'precompiled',
	setup(builder) {
		builder.onLoad({ filter: /[\\/]src[\\/]run[\\/]shipped\.ts$/ }, async () => {
			const { shipped } = await importSource('src/run/shipped.ts');
			const result = JSON.stringify(JSON.stringify(shipped(root)));
			return { contents: `const result = JSON.parse(${result});\nexport const shipped = () => result;\n`, loader: 'js' };
		});
	},
};

/** Modules that many files name and few commands use are loaded at the first call of one of their functions. */
const later = {
	name: 'later',
	setup(builder) {
		const require = createRequire(import.meta.url);
		const call = (path, name) =>
			`function (...args) { const it = require('${path}'); return new.target ? new it.${name}(...args) : it.${name}(...args); }`;
		const functions = (path) =>
			Object.entries(require(path))
				.filter(([name, value]) => typeof value === 'function' && name !== 'default')
				.map(([name]) => `export const ${name} = ${call(path, name)};`)
				.join('\n');
		const stands = {
			'node:crypto': () => functions('node:crypto'),
			'node:child_process': () => functions('node:child_process'),
			'node:fs/promises': () => `export { constants } from 'node:fs';\n${functions('node:fs/promises')}`,
			'node:net': () => functions('node:net'),
			'node:tty': () => functions('node:tty'),
			re2js: () => `export const RE2JS = { compile: ${call('re2js', 'RE2JS.compile')} };`,
			micromatch: () => `export default { matcher: ${call('micromatch', 'matcher')} };`,
		};
		builder.onResolve({ filter: new RegExp(`^(${Object.keys(stands).join('|')})$`) }, ({ path, kind, importer }) =>
			kind === 'import-statement' && importer.startsWith(join(root, 'src')) ? { path, namespace: 'later' } : undefined,
		);
		builder.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({ contents: stands[path](), resolveDir: root }));
		// Modules of our own that need the whole of yaml, and that plainly written files do without.
		builder.onResolve({ filter: /[\\/](whole-yaml|front-matter|new-packet)\.ts$/ }, ({ path, kind, resolveDir }) =>
			kind === 'import-statement' ? { path: join(resolveDir, path), namespace: 'ours-later' } : undefined,
		);
		builder.onLoad({ filter: /.*/, namespace: 'ours-later' }, ({ path }) => {
			const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name]) => name);
			return { contents: names.map((name) => `export const ${name} = ${call(path, name)};`).join('\n'), resolveDir: root };
		});
	},
};

/**
 * Making a schema takes longer than using it. So each is made when it is asked for more than whether a value is right, and zod itself is
 * loaded then: for values that are right a description is enough. Of zod only what we use is taken, and of its forty languages one.
 */
const schemas = {
	name: 'schemas',
	async setup(builder) {
		const { descriptions, used, settings } = await describeSchemas();
		builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
			const source = readFileSync(path, 'utf8');
			if (!source.includes(zodImport)) return undefined;
			const contents = source
				.replace(/^((?:export )?const ([A-Z]\w*) = )([\s\S]*?);$/gm, (whole, before, name, make) => {
					if (!path.includes('/contract/')) return whole;
					const description = descriptions.get(`${path} ${name}`);
					const describe = description === undefined ? '' : `, () => JSON.parse(${JSON.stringify(JSON.stringify(description))})`;
					return `${before}__atFirstUse(() => ${make}${describe});`;
				})
				// Said to zod when it is loaded.
				.replace(zodSetting, '')
				.replace(zodImport, "import { atFirstUse as __atFirstUse, z } from 'zod-at-first-use'");
			return { contents, loader: 'ts', resolveDir: dirname(path) };
		});
		builder.onResolve({ filter: /^zod-(at-first-use|used)$/ }, ({ path }) => ({ path, namespace: 'zod' }));
		builder.onLoad({ filter: /.*/, namespace: 'zod' }, ({ path }) => ({
			contents:
				path === 'zod-used'
					? `import * as z from 'zod';\n${settings.join('\n')}\nexport { ${used.join(', ')} } from 'zod';`
					: `export { atFirstUse } from './scripts/bundle/fits.mjs';\nexport const z = new Proxy({}, { get: (_, name) => require('zod-used')[name] });`,
			resolveDir: root,
		}));
		builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
			contents: "export { default as en } from './en.js';",
		}));
	},
};

const common = {
	absWorkingDir: root,
	bundle: true,
	// One file, of which each command is run only when it is called: it starts faster than many small ones, and a dispatcher that runs
	// while its package is replaced has everything it needs.
	format: 'cjs',
	platform: 'node',
	target: 'node20',
	minify: true,
	legalComments: 'none',
	charset: 'ascii',
	metafile: true,
	write: false,
	logLevel: 'warning',
};
const main = await build({
	...common,
	entryPoints: ['src/cli/main.ts'],
	outfile: 'dist/main.cjs',
	define: { 'import.meta.url': '__importMetaUrl' },
	banner: {
		js: "const __importMetaUrl=require('node:url').pathToFileURL(__filename).href;",
	},
	// As modules, of which only what is used is bundled; for node the package gives CommonJS.
	alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
	plugins: [precompiled, later, schemas],
});
// In plain ASCII, which is read fastest; what esbuild leaves stands in regular expressions, where an escape means the same. As the body of
// a function, so that it is compiled as it was read; and long enough that node keeps it outside of the heap, where no collection copies it.
const outsideTheHeap = 1_032_000;
const body = main.outputFiles[0].text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const text = `(function (exports, require, module, __filename, __dirname) {${body}\n})`.padEnd(outsideTheHeap);
// Named for its content, so that an old bin.js never meets a new bundle, nor a bundle the cache of another.
const mainName = `main-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.js`;
const bin = await build({
	...common,
	entryPoints: ['src/bin.ts'],
	outfile: 'dist/bin.js',
	define: { DISPATCH_VERSION: JSON.stringify(version), DISPATCH_MAIN: JSON.stringify(mainName) },
});

const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
put(mainName, text);
// The less code is in a cache, the faster it is read: one for commands that look, one for those that run packets.
const warmUps = { look: 'plan two, next, status', run: 'run one -q, run three -q, run one -q' };
const cacheNames = Object.entries(warmUps).map(([kind, commands]) => {
	const name = `${mainName}.${kind}.${process.versions.v8}-${process.platform}-${process.arch}`;
	execFileSync(process.execPath, [join(root, 'scripts/code-cache.mjs'), join(dist, mainName), join(dist, `.${name}`), commands], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	renameSync(join(dist, `.${name}`), join(dist, name));
	return name;
});
put('package.json', '{ "type": "commonjs" }\n');
put('THIRD-PARTY-LICENSES.txt', licences(bundledPackages({ ...main.metafile.outputs, ...bin.metafile.outputs })));
put('bin.js', bin.outputFiles[0].contents, 0o755);

// What an earlier build left goes last: a dispatcher that starts meanwhile finds its own files until here.
const made = new Set([mainName, ...cacheNames, 'package.json', 'THIRD-PARTY-LICENSES.txt', 'bin.js']);
for (const name of readdirSync(dist)) if (!made.has(name)) rmSync(join(dist, name), { recursive: true });

function put(name, data, mode = 0o644) {
	writeFileSync(join(dist, `.${name}`), data, { mode });
	renameSync(join(dist, `.${name}`), join(dist, name));
}

function bundledPackages(outputs) {
	const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
	return [...new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []))].sort();
}

function licences(packages) {
	const texts = packages.map((dir) => {
		const { name, version, license } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
		const file = readdirSync(join(root, dir)).find((entry) => /^licen[cs]e/i.test(entry));
		if (file === undefined) throw new Error(`${name} has no licence file to ship`);
		return `${name} ${version} (${license})\n\n${readFileSync(join(root, dir, file), 'utf8').trim()}\n`;
	});
	return `Packages that are part of this bundle, each under its own licence.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
