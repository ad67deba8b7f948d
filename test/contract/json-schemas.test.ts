import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonSchemas } from '../../src/contract/json-schemas.ts';
import { projectDir } from '../project-dir.ts';

test.each(Object.entries(jsonSchemas()))(
	'schemas/%s.schema.json is what the schemas of the sources give (npm run schemas)',
	(name, schema) => {
		expect(JSON.parse(readFileSync(join(projectDir, 'schemas', `${name}.schema.json`), 'utf8'))).toEqual(schema);
	},
);

test('a misspelt key is one that editors mark', () => {
	expect(jsonSchemas().manifest).toMatchObject({ additionalProperties: false, required: ['task_id', 'goal'] });
});
