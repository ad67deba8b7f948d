import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ExitCode, exitCodeOf } from '../../src/contract/exit-code.ts';
import { RoleContract } from '../../src/contract/role.ts';
import { FailureClass } from '../../src/contract/stage-failure.ts';
import { PacketStatus } from '../../src/contract/words.ts';
import { projectDir } from '../project-dir.ts';

const doc = (name: string): string => readFileSync(join(projectDir, name), 'utf8');
/** The cells of all table rows. */
const rows = (text: string): string[][] =>
	text
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);

test('the generated references say what schemas, templates, shipped files and help texts say', () => {
	const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/reference.mjs', '--check'], {
		cwd: projectDir,
		encoding: 'utf8',
	});
	expect(`${stdout}${stderr}`).toBe('');
	expect(status).toBe(0);
});

test('every failure class is documented with its exit code', () => {
	const documented = Object.fromEntries(
		rows(doc('docs/failures-and-exit-codes.md'))
			.filter((row) => row.length === 4 && row[0]!.startsWith('`'))
			.map((row) => [row[0]!.replaceAll('`', ''), Number(row[3])]),
	);
	expect(documented).toEqual(Object.fromEntries(FailureClass.options.map((kind) => [kind, exitCodeOf(kind)])));
});

test('every exit code and every status is documented', () => {
	const codes = rows(doc('docs/failures-and-exit-codes.md')).filter((row) => row.length === 2 && /^\d+$/.test(row[0]!));
	expect(codes.map((row) => Number(row[0]))).toEqual(Object.values(ExitCode));
	const statuses = rows(doc('docs/packet.md')).flatMap((row) => /^`([a-z_]+)`$/.exec(row[0]!)?.[1] ?? []);
	expect(statuses).toEqual(PacketStatus.options);
});

test('every key of a template’s front matter is documented', () => {
	const keys = rows(doc('templates/README.md')).flatMap((row) => /^`([a-z_]+)`$/.exec(row[0]!)?.[1] ?? []);
	expect(keys).toEqual(expect.arrayContaining(Object.keys(RoleContract.shape)));
});

test('the changelog speaks of the version that is shipped', () => {
	const { version } = JSON.parse(doc('package.json')) as { version: string };
	expect(doc('CHANGELOG.md')).toContain(`## [${version}]`);
	expect(execFileSync(process.execPath, ['dist/bin.js', '--version'], { cwd: projectDir, encoding: 'utf8' })).toBe(`dispatch ${version}\n`);
});
