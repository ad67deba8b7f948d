import { constants } from 'node:buffer';
import { DispatchEvent } from '../contract/event.ts';
import { foldEvent, foldJournal } from '../journal/fold.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { append, sync } from './disk.ts';
import { mustRead } from './read.ts';

/** The events of a journal. A last line without its newline was never finished and does not count; nor does a garbled one. */
export function readJournal(file: string): DispatchEvent[] {
	return eventsIn(journalText(file));
}

/** What a journal counts must not be paid again because nobody could read it: '' only where there is none. */
export const journalText = (file: string): string => mustRead(file, constants.MAX_STRING_LENGTH) ?? '';

function eventsIn(text: string): DispatchEvent[] {
	const events: DispatchEvent[] = [];
	let from = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
		const event = parseLine(text.slice(from, end));
		if (event !== null) events.push(event);
		from = end + 1;
	}
	return events;
}

function parseLine(line: string): DispatchEvent | null {
	try {
		const parsed = DispatchEvent.safeParse(JSON.parse(line));
		return parsed.success ? parsed.data : null;
	} catch {
		return null;
	}
}

/** The journal of a packet that a run owns. `guard` is asked before every write: a run that lost its lock writes nothing. */
export class Journal {
	state: PacketState;
	#torn: boolean;

	constructor(
		readonly file: string,
		private readonly guard: () => void,
		private readonly listen: (event: DispatchEvent) => void,
	) {
		const text = journalText(file);
		this.state = foldJournal(eventsIn(text));
		this.#torn = text !== '' && !text.endsWith('\n');
	}

	/** One append for all events, so that what belongs together is found together. */
	append(...events: readonly DispatchEvent[]): void {
		this.guard();
		const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
		append(this.file, this.#torn ? `\n${lines}` : lines, 0o600);
		this.#torn = false;
		for (const event of events) {
			this.state = foldEvent(this.state, event);
			this.listen(event);
		}
	}

	sync(): Promise<void> {
		return sync([this.file]);
	}
}
