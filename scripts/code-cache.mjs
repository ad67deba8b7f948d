// node code-cache.mjs <bundle> <cache> <commands>: runs them on a small packet, and keeps the code that V8 made of the bundle meanwhile.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

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
	for (const words of commands.split(', ')) {
		await module.exports.main([...words.split(' '), '-C', dir], '0.0.0');
	}
	writeFileSync(cache, script.createCachedData());
} finally {
	rmSync(dir, { recursive: true, force: true });
}

function write(path, text) {
	mkdirSync(dirname(join(dir, path)), { recursive: true });
	writeFileSync(join(dir, path), text);
}
