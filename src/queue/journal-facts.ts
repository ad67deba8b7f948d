import { ExitCode } from '../contract/exit-code.ts';
import { PacketStatus } from '../contract/words.ts';
import { foldJournal } from '../journal/fold.ts';
import { verdictOf } from '../journal/standing.ts';
import { journalText, readJournal } from '../packet/journal-file.ts';

/** How a packet's journal leaves it. `running`: a run began and has not said that it ended. */
export interface JournalFacts {
	readonly state: PacketStatus | 'running';
	/** Stopped between two calls, because a queue's purse was empty. */
	readonly cutShort: boolean;
	readonly verdict: string | null;
	readonly updated: string | null;
}

export const noJournal: JournalFacts = { state: 'pending', cutShort: false, verdict: null, updated: null };

/**
 * Found by looking for the last word on a run instead of folding all events: a listing of ten thousand packets must not take a minute.
 * Quotes inside a JSON string are escaped, so the marks below are found only where they mean what they say.
 */
export function journalFacts(file: string): JournalFacts {
	const whole = journalText(file);
	// A last line without its newline was never finished.
	const text = whole.slice(0, whole.lastIndexOf('\n') + 1);
	const started = text.lastIndexOf('"type":"run_started"');
	const finished = text.lastIndexOf('"type":"run_finished"');
	if (started === -1 && finished === -1) return noJournal;
	const last = lineAt(text, finished);
	const ended = finished > started ? PacketStatus.safeParse(field(last, 'status')) : null;
	const state = ended === null ? 'running' : ended.success ? ended.data : 'failed';
	// A run that made no call leaves a packet as it found it.
	if (state === 'pending') return noJournal;
	return {
		state,
		cutShort: state === 'interrupted' && field(last, 'exit_code') === ExitCode.budget,
		verdict: text.includes('"verdict":"') ? lastVerdict(file) : null,
		updated: wordOf(field(lineAt(text, text.length - 2), 'time')),
	};
}

function lastVerdict(file: string): string | null {
	const state = foldJournal(readJournal(file));
	return verdictOf(state, [...state.stages.keys()]);
}

function lineAt(text: string, offset: number): string {
	return text.slice(text.lastIndexOf('\n', offset) + 1, text.indexOf('\n', offset));
}

function field(line: string, name: string): unknown {
	try {
		return (JSON.parse(line) as Record<string, unknown>)[name];
	} catch {
		return null;
	}
}

const wordOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
