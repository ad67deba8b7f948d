import type { DispatchEvent } from '../contract/event.ts';
import { packetNames } from '../packet/names.ts';
import { readTail } from '../packet/read.ts';
import { blanking } from '../prompt/redact.ts';
import { colourWanted } from '../report/colour.ts';
import { makeConsole, type RunConsole } from '../report/console.ts';
import { ndjsonLine } from '../report/ndjson.ts';
import { visible } from '../report/visible.ts';
import type { Project } from '../run/project.ts';
import { type Call, flag, type Option } from './command.ts';
import { failureLog } from './failure-log.ts';
import { redactorOf } from './shown-text.ts';
import { isTerminal, stdio, write } from './stdio.ts';

/** Where a run's progress goes: a terminal, plain lines, NDJSON, or nowhere. */
export interface Listener {
	readonly event: (event: DispatchEvent) => void;
	readonly note: (text: string) => void;
	readonly error: (text: string) => void;
	readonly finish: () => void;
}

export const listenerOptions = {
	json: { type: 'boolean', help: 'events as one JSON object a line' },
	quiet: { type: 'boolean', short: 'q', help: 'nothing but errors' },
} as const satisfies Record<string, Option>;

export function makeListener(call: Call, project: Project, manyPackets: boolean): Listener {
	const redactors = new Map<string, (text: string) => string>();
	/** With the patterns of the packet it is about. */
	const redact = (text: string, taskId = '') => {
		const known = redactors.get(taskId) ?? (taskId === '' ? blanking() : redactorOf(packetNames(project.root, taskId)));
		redactors.set(taskId, known);
		return known(text);
	};
	const quiet = flag(call, 'quiet') || flag(call, 'json');
	const stream = flag(call, 'json') ? 'stderr' : 'stdout';
	const isTTY = () => !flag(call, 'json') && isTerminal(1);
	let made: RunConsole | null = null;
	/** Made when there is something to tell. */
	const console = (): RunConsole => {
		made ??= makeConsole({
			// A terminal is asked how wide it is, which only node's stream knows; the others take their text without one.
			stream: isTTY() ? stdio(stream) : { write: (text: string) => write(stream, text) },
			isTTY: isTTY(),
			colour: colourWanted(isTTY(), { NO_COLOR: call.env.NO_COLOR, TERM: call.env.TERM }),
			quiet,
			columns: () => (isTTY() ? stdio('stdout').columns : undefined) ?? 80,
			rows: () => (isTTY() ? stdio('stdout').rows : undefined) ?? 24,
			now: () => Date.now(),
			intervalSec: project.config.merged.dispatch.progress_interval_sec ?? 10,
			manyPackets,
			summaryPath: (id) => `.tmp/task/${id}/outputs/_summary.md`,
			// The attempt's own: under its public name it appears only after the journal's word on it.
			tail: ({ taskId, stage, tool, attempt, class: failureClass }) => {
				const log = failureLog(packetNames(project.root, taskId).attempt(stage, attempt), failureClass);
				return withoutNoise(wholeLines(readTail(log, tailBytes)), project.servantOf(tool).servant.noise ?? []);
			},
			redact,
		});
		return made;
	};
	const timer = setInterval(() => made?.tick(), 1000);
	timer.unref();
	return {
		event: (event) => {
			if (flag(call, 'json')) call.out(ndjsonLine(event));
			console().event(event);
		},
		note: (text) => (quiet ? undefined : console().note(text)),
		// On a terminal the running lines must make room; elsewhere errors belong where errors go.
		error: (text) => (isTTY() ? console().error(text) : call.err(`${visible(redact(text))}\n`)),
		finish: () => {
			clearInterval(timer);
			made?.finish();
		},
	};
}

const tailBytes = 16 * 1024;

/** Half a secret is not recognised as one: what the cut went through is left out. */
function wholeLines(tail: string): string {
	if (Buffer.byteLength(tail) < tailBytes) return tail;
	const end = tail.indexOf('\n');
	return end === -1 ? '' : tail.slice(end + 1);
}

/** What a servant prints at every start explains nothing, and its "Reading prompt from stdin" looks like the reason. */
function withoutNoise(tail: string, noise: readonly string[]): string {
	const lines = tail.split('\n').filter((line) => !noise.some((words) => line.startsWith(words)));
	return lines.join('\n');
}
