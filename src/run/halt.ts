import { setMaxListeners } from 'node:events';

/**
 * How a run is told to stop: gently (end everything and say so), at once (no grace), or by leaving (the wrappers live on for adoption).
 * The shell turns signals into these; the run only looks.
 */
export interface Halt {
	readonly gently: AbortSignal;
	readonly atOnce: AbortSignal;
	readonly leave: AbortSignal;
}

export class HaltSwitch implements Halt {
	readonly #gently = new AbortController();
	readonly #atOnce = new AbortController();
	readonly #leave = new AbortController();
	readonly gently = this.#gently.signal;
	readonly atOnce = this.#atOnce.signal;
	readonly leave = this.#leave.signal;

	constructor() {
		// Every running stage listens, and node takes more than ten for a leak and says so in the middle of the display.
		setMaxListeners(0, this.gently, this.atOnce, this.leave);
	}

	/** First call: gently. Second: at once. */
	stop(): void {
		if (this.gently.aborted) this.#atOnce.abort();
		this.#gently.abort();
	}

	leaveRunning(): void {
		this.#leave.abort();
	}
}

/** Of one run among others: it is halted with them, and can leave alone. */
export interface RunHalt extends Halt {
	readonly leaveAlone: () => void;
	/** The others outlive it, and need not remember it. */
	readonly forget: () => void;
}

export function haltOfRun(all: Halt): RunHalt {
	const own = new AbortController();
	setMaxListeners(0, own.signal);
	const leaveAlone = () => own.abort();
	if (all.leave.aborted) leaveAlone();
	else all.leave.addEventListener('abort', leaveAlone);
	const { gently, atOnce } = all;
	return { gently, atOnce, leave: own.signal, leaveAlone, forget: () => all.leave.removeEventListener('abort', leaveAlone) };
}

/** Whether nothing new is begun. */
export const isHalted = ({ gently, leave }: Pick<Halt, 'gently' | 'leave'>): boolean => gently.aborted || leave.aborted;

/** Resolves when any of the signals is aborted. */
export function aborted(...signals: readonly AbortSignal[]): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of signals) {
			if (signal.aborted) return resolve();
			signal.addEventListener('abort', () => resolve(), { once: true });
		}
	});
}
