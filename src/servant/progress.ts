import type { Usage } from '../contract/meta.ts';
import type { AfterEnd, Progress, Reading, Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { costOf } from './cost.ts';
import { countUsage, MAX_IDS, withoutBaseline } from './count-usage.ts';
import { splitLines } from './lines.ts';
import { StandingComplaint } from './standing-complaint.ts';

const MAX_TEXT = 16 * 1024 * 1024;

export interface ProgressOf {
	readonly servant: Servant;
	readonly model: string | null;
	readonly prices?: ServantFile['prices'];
	/** What earlier runs of the resumed session used; counts only for servants that report a session's whole usage. */
	readonly baseline?: Usage | null;
	/** The session that was resumed, or the id that was chosen for a new one. */
	readonly session?: string | null;
}

export interface RunningProgress {
	/** The next bytes of stdout, cut anywhere. */
	push(chunk: Buffer | string): void;
	/** The process is gone: what is held of a last line, and what lies beside the stream. */
	end(after: AfterEnd): void;
	readonly value: Progress;
}

/** Folds a servant's stream into what it tells. Whatever comes in, nothing is thrown and memory stays bounded. */
export function startProgress({ servant, model, prices, baseline = null, session = null }: ProgressOf): RunningProgress {
	const counted = countUsage();
	const complaint = new StandingComplaint();
	const stepIds = new Set<string>();
	const told = {
		events: 0,
		steps: 0,
		stepsReported: null as number | null,
		turns: null as number | null,
		cost: null as number | null,
		/** undefined: no event of success yet. */
		costBeforeSuccess: undefined as number | null | undefined,
		session: null as string | null,
		text: '',
		final: null as Progress['final'],
	};

	const earlier = servant.cumulativeOnResume ? baseline : null;
	const computed = () => (servant.paid ? costOf(withoutBaseline(counted.billed(), earlier), prices, model) : 0);
	const take = (reading: Reading): void => {
		switch (reading.kind) {
			case 'step':
				complaint.progress();
				if (isNew(stepIds, reading.id)) told.steps += 1;
				return;
			case 'steps_reported':
				told.stepsReported = reading.steps;
				return;
			case 'turns_reported':
				told.turns = reading.turns;
				return;
			case 'usage':
				counted.add(reading);
				return;
			case 'cost':
				told.cost = reading.mode === 'total' ? reading.usd : (told.cost ?? 0) + reading.usd;
				return;
			case 'session':
				told.session = reading.id;
				return;
			case 'text':
				if (reading.text !== '') complaint.progress();
				told.text = (reading.mode === 'append' ? told.text + reading.text : reading.text).slice(0, MAX_TEXT);
				return;
			case 'complaint':
				complaint.hear(reading.complaint, reading.final);
				return;
			case 'final':
				// A success that follows a complaint without any work in between is none (an abort ends in "exit code 0").
				told.final = reading.success && complaint.value === null ? 'success' : 'error';
		}
	};
	const lines = splitLines((line) => {
		const event = parsed(line);
		if (event === null) return;
		told.events += 1;
		const readings = quietly(() => servant.read(event));
		if (readings.some((reading) => reading.kind === 'final' && reading.success)) told.costBeforeSuccess = told.cost ?? computed();
		for (const reading of readings) take(reading);
	});

	return {
		push: (chunk) => lines.push(chunk),
		end: (after) => {
			lines.end();
			for (const reading of quietly(() => servant.after?.(after) ?? [])) take(reading);
		},
		get value(): Progress {
			const costUsd = told.cost ?? computed();
			return {
				stepsComputed: told.events === 0 || servant.countsSteps === false ? null : told.steps,
				stepsReported: told.stepsReported,
				turnsReported: told.turns,
				usage: withoutBaseline(counted.sum(), earlier),
				costUsd,
				costBeforeSuccessUsd: told.final === 'success' && told.costBeforeSuccess !== undefined ? told.costBeforeSuccess : costUsd,
				costSource: told.cost !== null ? 'reported' : costUsd !== null ? 'computed' : null,
				// Before its first event there is no session to go back to.
				sessionId: told.session ?? (told.events > 0 ? session : null),
				text: told.text,
				complaint: complaint.value,
				final: told.final,
			};
		},
	};
}

function isNew(seen: Set<string>, id: string | undefined): boolean {
	if (id === undefined) return true;
	if (seen.has(id)) return false;
	if (seen.size < MAX_IDS) seen.add(id);
	return true;
}

/** Events are JSON objects; whatever else a program prints is not for us. */
function parsed(line: string): object | null {
	if (!/^\s*\{/.test(line)) return null;
	try {
		const event: unknown = JSON.parse(line);
		return typeof event === 'object' && event !== null ? event : null;
	} catch {
		return null;
	}
}

/** Readers must not throw; one that does has misread one event, which is no reason to lose the run. */
function quietly(read: () => readonly Reading[]): readonly Reading[] {
	try {
		return read();
	} catch {
		return [];
	}
}
