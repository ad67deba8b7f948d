import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zod from 'zod';
import { importSource, root } from '../import-source.mjs';
import { isKnown } from './fits.mjs';

export const zodImport = "import { z } from 'zod'";
export const zodSetting = /^z\.config\(.*\);$/gm;

/** Every exported schema of the sources as a JSON Schema, where that says all of it; and what of zod the sources use and set. */
export async function describeSchemas() {
	const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(root, 'src', file))
		// Not those that only scripts use.
		.filter((file) => !file.endsWith('json-schemas.ts') && readFileSync(file, 'utf8').includes(zodImport));
	const modules = await importAll(files);
	const descriptions = new Map();
	for (const [n, file] of files.entries()) {
		for (const [name, value] of Object.entries(modules[`m${n}`])) {
			const description = value?._zod === undefined ? null : describe(value);
			if (description !== null) descriptions.set(`${file} ${name}`, description);
		}
	}
	const texts = files.map((file) => readFileSync(file, 'utf8'));
	const named = texts.flatMap((text) => [...text.matchAll(/\bz\s*\.(\w+)/g)].map(([, name]) => name));
	const used = [...new Set(named)].filter((name) => typeof zod[name] === 'function');
	return { descriptions, used, settings: texts.flatMap((text) => text.match(zodSetting) ?? []) };
}

/** Null for a schema that does more than describe: a default, a transformation, a format. */
export function describe(schema) {
	const text = JSON.stringify(zod.toJSONSchema(schema, { unrepresentable: 'throw' }), (word, value) =>
		word === '$schema' || (word === 'description' && typeof value === 'string') ? undefined : value,
	);
	const described = JSON.parse(text);
	return isKnown(described) ? described : null;
}

async function importAll(files) {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-schemas-'));
	try {
		const entry = join(dir, 'entry.ts');
		writeFileSync(entry, files.map((file, n) => `export * as m${n} from ${JSON.stringify(file)};`).join('\n'));
		return await importSource(entry);
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}
