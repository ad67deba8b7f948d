import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectDir } from '../project-dir.ts';

const run = promisify(execFile);

test('the demo runs a three-stage review to its summary, and runs again', async () => {
	for (const _time of ['first', 'second']) {
		const { stdout, stderr } = await run(join(projectDir, 'scripts/demo.sh'), [], { env: { ...process.env, NO_COLOR: '1' } });
		expect(stderr).toBe('');
		const packet = join(projectDir, '.tmp/demo/.tmp/task/demo-review');
		const summary = readFileSync(join(packet, 'outputs/_summary.md'), 'utf8');
		expect(stdout).toContain(summary);
		expect(stdout).toContain(join(packet, 'outputs/_summary.md'));
		expect(summary).toContain('status: completed');
		expect(summary).toContain('All 3 stages passed; verdict CHANGES_REQUESTED (1 high, 1 medium, 1 low)');
		for (const stage of ['gemini_review', 'codex_review', 'copilot_review_consolidate']) expect(summary).toContain(`| ${stage} `);
		expect(summary).toContain('paid calls 0 / 3');
	}
});
