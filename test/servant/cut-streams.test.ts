import { expect, test } from 'vitest';
import { startProgress } from '../../src/servant/progress.ts';
import { authorOf, play, type Recording, recordings, streamOf } from './recording.ts';

const told = recordings.filter((recording) => streamOf(recording).length > 0);

/** As a cut leaves it: the process is gone, nobody knows how. */
const cutAt = (recording: Recording, bytes: number) =>
	play({ ...recording, code: null, stderr: '' }, { stream: streamOf(recording).subarray(0, bytes) });

test.each(['claude', 'codex', 'gemini', 'copilot', 'opencode'])('a stream of %s that is cut before its last word is no success', (tool) => {
	for (const recording of told.filter((candidate) => candidate.tool === tool)) {
		const stream = streamOf(recording);
		const words = stream.subarray(0, -1).lastIndexOf('\n');
		for (let end = stream.indexOf('\n'); end !== -1 && end <= words; end = stream.indexOf('\n', end + 1)) {
			expect(cutAt(recording, end + 1).final, `${recording.name} at ${end}`).not.toBe('success');
		}
		for (let turn = 1; turn <= 20; turn += 1) {
			// Up to the byte before the brace that closes the last event.
			const bytes = Math.floor(((stream.length - 2) * turn) / 20);
			expect(cutAt(recording, bytes).final, `${recording.name} at ${bytes}`).not.toBe('success');
		}
	}
});

test('it makes no difference where the chunks of a stream end, even inside a character', () => {
	for (const recording of told.filter(({ name }) => ['tool', 'e500', 'quota', 'maxtokens'].includes(name))) {
		const stream = Buffer.from(streamOf(recording).toString().replaceAll('hi', 'h🙂ï'));
		const running = startProgress({ servant: authorOf(recording.tool), model: null });
		for (const byte of stream) running.push(Buffer.from([byte]));
		running.end({ exitCode: recording.code, stderr: recording.stderr, scratchFile: () => null });
		expect(running.value, recording.tool).toEqual(play(recording, { stream }));
	}
});

test('events of the wrong shape are passed over', () => {
	const shapes = [
		'null',
		'[]',
		'1',
		'"x"',
		'{}',
		'{"type":null}',
		'{"type":{"type":1}}',
		'{"__proto__":{"type":"result"}}',
		'{',
		'\u0000',
		'[['.repeat(9999),
	];
	for (const tool of ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'replay']) {
		const running = startProgress({ servant: authorOf(tool), model: null });
		for (const shape of [...shapes, ...wrongValues()]) running.push(`${shape}\n`);
		running.push(Buffer.from([0xff, 0xfe, 0x0a, 0xc3]));
		running.end({ exitCode: null, stderr: '', scratchFile: () => '{"modelMetrics":[1]}' });
		expect(running.value.final, tool).not.toBe('success');
	}
});

/** Every event of every recording, with each of its values replaced in turn by one of another kind. */
function wrongValues(): readonly string[] {
	const kinds = new Map<string, Record<string, unknown>>();
	for (const recording of told) {
		for (const line of streamOf(recording).toString().trim().split('\n')) {
			const event: Record<string, unknown> = JSON.parse(line);
			if (event.type !== 'result' && event.type !== 'turn.completed') kinds.set(`${event.type}`, event);
		}
	}
	return [...kinds.values()].flatMap((event) =>
		Object.keys(event).flatMap((key) => [null, -1, [], { a: 1 }, 'x'].map((value) => JSON.stringify({ ...event, [key]: value }))),
	);
}
