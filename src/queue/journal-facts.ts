import { PacketStatus } from '../contract/words.ts';
import { foldJournal } from '../journal/fold.ts';
import { verdictOf } from '../journal/standing.ts';
import { readJournal } from '../packet/journal-file.ts';
import { readText } from '../packet/read.ts';

/** How a packet's journal leaves it. `running`: a run began and has not said that it ended. */
export interface JournalFacts {
	readonly state: PacketStatus | 'running';
	readonly verdict: string | null;
	readonly updated: string | null;
}

export const noJournal: JournalFacts = { state: 'pending', verdict: null, updated: null };

/**
 * Found by looking for the last word on a run instead of folding all events: a listing of ten thousand packets must not take a minute.
 * Quotes inside a JSON string are escaped, so the marks below are found only where they mean what they say.
 */
export function journalFacts(file: string): JournalFacts {
	const whole = readText(file, 512 * 1024 * 1024) ?? '';
	// A last line without its newline was never finished.
	const text = whole.slice(0, whole.lastIndexOf('\n') + 1);
	const started = text.lastIndexOf('"type":"run_started"');
	const finished = text.lastIndexOf('"type":"run_finished"');
	if (started === -1 && finished === -1) return noJournal;
	const ended = finished > started ? PacketStatus.safeParse(field(lineAt(text, finished), 'status')) : null;
	return {
		state: ended === null ? 'running' : ended.success ? ended.data : 'failed',
		verdict: text.includes('"verdict":"') ? lastVerdict(file) : null,
		updated: field(lineAt(text, text.length - 2), 'time'),
	};
}

function lastVerdict(file: string): string | null {
	const state = foldJournal(readJournal(file));
	return verdictOf(state, [...state.stages.keys()]);
}

function lineAt(text: string, offset: number): string {
	return text.slice(text.lastIndexOf('\n', offset) + 1, text.indexOf('\n', offset));
}

function field(line: string, name: string): string | null {
	try {
		const value: unknown = (JSON.parse(line) as Record<string, unknown>)[name];
		return typeof value === 'string' ? value : null;
	} catch {
		return null;
	}
}
