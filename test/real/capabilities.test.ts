import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir } from '../project-dir.ts';
import { expectedOf } from './expected.ts';
import { realTools, versionOf } from './pins.ts';

const rows = tableBelow('<!-- generated: capabilities -->');

test('the documented table has every servant that is shipped and measured here', () => {
	expect([...rows.keys()]).toEqual(expect.arrayContaining(realTools.filter((tool) => tool !== 'opencode')));
});

test.each(realTools.filter((tool) => rows.has(tool)))('%s is documented as it was measured', (tool) => {
	const row = rows.get(tool)!;
	const skipped = Object.keys(expectedOf[tool].skip ?? {});
	expect(row['steps counted live']).toBe(skipped.includes('step overrun') ? 'no' : 'yes');
	expect(row['session can be resumed']).toBe(skipped.includes('resume after a timeout') ? 'no' : 'yes');
	const longest = Number(/^([\d,]+) bytes/.exec(row['longest prompt']!)?.[1]?.replaceAll(',', '') ?? Number.POSITIVE_INFINITY);
	expect(longest).toBeGreaterThan(1_010_000);
	expect(longest > 5_000_000 ? 'passed' : 'prompt_too_large').toBe(expectedOf[tool].fiveMegabytes);
	expect(versionOf(tool).startsWith(row['measured version']!.replace(/x$/, ''))).toBe(true);
});

/** The rows of the first table after a line, by their first cell. */
function tableBelow(mark: string): Map<string, Record<string, string>> {
	const page = readFileSync(join(projectDir, 'docs/servants.md'), 'utf8');
	const lines = page.slice(page.indexOf(mark)).split('\n');
	const start = lines.findIndex((line) => line.startsWith('|'));
	const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
	const [head = [], , ...body] = lines.slice(start, start + length).map((line) => line.slice(1, -1).split('|').map(plain));
	return new Map(body.map((cells) => [cells[0]!, Object.fromEntries(head.map((name, n) => [name, cells[n] ?? '']))]));
}

function plain(cell: string): string {
	return cell.trim().replace(/^`([^`]*)`$/, '$1');
}
