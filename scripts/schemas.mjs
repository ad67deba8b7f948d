// Writes schemas/*.schema.json from the schemas in src/contract. With --check it only says whether they are up to date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource, root } from './import-source.mjs';

const check = process.argv.includes('--check');
const { jsonSchemas } = await importSource('src/contract/json-schemas.ts');
mkdirSync(join(root, 'schemas'), { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
	const file = join(root, 'schemas', `${name}.schema.json`);
	const text = `${JSON.stringify(schema, null, '\t')}\n`;
	if (!check) writeFileSync(file, text);
	else if (readFileSync(file, 'utf8') !== text) {
		console.error(`schemas/${name}.schema.json is out of date: npm run schemas`);
		process.exitCode = 1;
	}
}
