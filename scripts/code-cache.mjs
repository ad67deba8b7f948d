// node code-cache.mjs <bundle> <cache> <commands>: runs them on a small packet, and keeps the code that V8 made of the bundle meanwhile.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const recordings = fileURLToPath(new URL('./demo/recorded', import.meta.url));
const [bundle, cache, commands] = process.argv.splice(2);
// As src/compiled.ts will do it: V8 takes the code back only for the same text.
const script = new Script(readFileSync(bundle, 'latin1'), { filename: bundle });
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));

const dir = mkdtempSync(join(tmpdir(), 'dispatch-warm-'));
try {
	write('configs/servant/echo.yaml', 'command: echo\nargs: [ok]\nprompt: stdin\noutput: text\n');
	write(
		'configs/pipeline/warm.yaml',
		'pipeline: warm\ndefault_profile: warm\nprofiles:\n  warm:\n    stages: [echo_explore, echo_explore-2]\n',
	);
	write('.tmp/task/one/manifest.yaml', 'task_id: one\ngoal: Warm up.\nrouting:\n  intent: warm\n');
	write('.tmp/task/two/manifest.yaml', 'task_id: two\ngoal: Warm up.\ntask_type: review\n');
	write('.tmp/task/three/manifest.yaml', 'task_id: three\ngoal: Warm up.\nrouting:\n  intent: review_cross\n');
	for (const tool of ['gemini', 'codex', 'copilot']) {
		write(`configs/servant/${tool}.yaml`, `command: ./recorded/${tool}\npaid: false\n`);
		write(`recorded/${tool}`, `#!/bin/sh\ncat '${join(recordings, `${tool}.jsonl`)}'\n`, 0o755);
	}
	execFileSync('git', ['init', '-q', dir]);
	for (const words of commands.split(', ')) {
		await module.exports.main([...words.split(' '), '-C', dir], '0.0.0');
	}
	writeFileSync(cache, script.createCachedData());
} finally {
	rmSync(dir, { recursive: true, force: true });
}

function write(path, text, mode = 0o644) {
	mkdirSync(dirname(join(dir, path)), { recursive: true });
	writeFileSync(join(dir, path), text, { mode });
}
