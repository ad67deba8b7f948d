import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectDir } from '../project-dir.ts';

test('the cheap benchmarks run and print their figures, whatever these are', async () => {
	const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/run.mjs', '--smoke'], { cwd: projectDir });
	for (const figure of ['dispatch --version', 'dispatch plan <id>', 'dispatch next', 'a plan resolved', 'retained per servant']) {
		expect(stdout).toContain(figure);
	}
});
