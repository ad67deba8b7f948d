import type { Reading, Servant } from '../contract/servant.ts';
import { complain } from './complain.ts';
import { textAt } from './event-value.ts';

/**
 * Gives a recorded answer instead of asking anybody: for demonstrations and tests. In the directory of recordings
 * (DISPATCH_REPLAY_DIR, else `args: [directory]` of its servant file, relative to the workspace), by stage or by role:
 *
 *   <name>.patch    applied to the work tree first
 *   <name>.jsonl    a recorded stream of any servant, with <name>.stderr and <name>.exit (a code, or {"code", "signal"}) if there are
 *   <name>.md       or just the answer
 */
export const replay = (readers: readonly Servant['read'][], directory: string | undefined): Servant => ({
	tool: 'replay',
	paid: false,
	maxPromptBytes: null,
	env: ['DISPATCH_REPLAY_DIR'],
	cumulativeOnResume: false,
	canResume: false,
	invocation: (ask) => ({
		command: process.execPath,
		args: ['-e', program, '--', directory ?? '', ask.stage ?? '', ask.role ?? ''],
		env: {},
		prompt: 'stdin',
		output: 'jsonl',
		files: {},
	}),
	read: (event) => {
		if (textAt(event, 'type') === 'replay.unset') {
			return [complain({ class: 'config_error', message: textAt(event, 'message') ?? '', final: true }), { kind: 'final', success: false }];
		}
		if (textAt(event, 'type') === 'replay.answer') {
			return [{ kind: 'step' }, { kind: 'text', mode: 'replace', text: textAt(event, 'text') ?? '' }, { kind: 'final', success: true }];
		}
		// The shapes of their events do not overlap, so whoever understands one was its author.
		for (const read of readers) {
			const readings = read(event);
			if (readings.length > 0) return readings.filter(isFree);
		}
		return [];
	},
	care: {
		versionArgs: ['--version'],
		knownVersions: ['v'],
		install: 'nothing to install',
		login: null,
		loginSigns: [{ variable: 'PATH' }],
	},
});

/** What the recorded run cost was paid then. */
const isFree = (reading: Reading): boolean => reading.kind !== 'cost';

const program = `
const fs = require('node:fs'), path = require('node:path');
const [given, ...asked] = process.argv.slice(1);
const fail = (message) => { process.stderr.write('replay: ' + message + '\\n'); process.exit(1); };
const directory = process.env.DISPATCH_REPLAY_DIR || given;
const unset = (message) => { process.stdout.write(JSON.stringify({ type: 'replay.unset', message }) + '\\n'); fail(message); };
if (!directory) unset('no directory of recordings; set DISPATCH_REPLAY_DIR or args in the servant file');
const names = asked.filter(Boolean).map((name) => path.resolve(directory, name));
const has = (name, kind) => fs.existsSync(name + kind);
const name = names.find((name) => has(name, '.jsonl') || has(name, '.md'));
if (!name) unset('no recording ' + names.map((name) => name + '.jsonl or .md').join(', nor '));
if (has(name, '.patch')) {
	const applied = require('node:child_process').spawnSync('git', ['apply', '--whitespace=nowarn', name + '.patch'], { encoding: 'utf8' });
	if (applied.status !== 0) fail('the patch does not apply: ' + (applied.stderr || applied.error));
}
const write = (fd, text) => { for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(fs.writeSync(fd, bytes)); };
if (has(name, '.stderr')) write(2, fs.readFileSync(name + '.stderr'));
if (has(name, '.jsonl')) write(1, fs.readFileSync(name + '.jsonl'));
else write(1, JSON.stringify({ type: 'replay.answer', text: fs.readFileSync(name + '.md', 'utf8') }) + '\\n');
const ended = () => {
	try {
		const how = JSON.parse(fs.readFileSync(name + '.exit', 'utf8'));
		return typeof how === 'number' ? { code: how } : { ...how };
	} catch {
		fail(name + '.exit is neither an exit code nor {"code": 1, "signal": null}');
	}
};
const { code, signal } = has(name, '.exit') ? ended() : {};
process.exitCode = code || 0;
// Only the signal itself ends us as it ended the one who was recorded.
if (signal) process.kill(process.pid, signal);
`;
