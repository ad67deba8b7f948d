import type { Outcome } from '../contract/outcome.ts';
import { fail, pass } from '../contract/outcome.ts';
import type { ManifestPath, PlanFailure, PlanWarning } from './plan-input.ts';

/** What is found wrong or worth saying while a plan is made. Nothing stops at the first problem. */
export interface Notes {
	readonly warnings: readonly PlanWarning[];
	readonly manifest: (at: ManifestPath, message: string, what?: PlanFailure['what']) => void;
	readonly config: (source: string | null, message: string) => void;
	readonly flag: (flag: string, message: string) => void;
	readonly warn: (message: string, where?: Partial<Omit<PlanWarning, 'message'>>) => void;
	/** Everything that failed, when the plan cannot go on. Calling it without a failure is a bug. */
	readonly refusal: () => Outcome<never, PlanFailure>;
	/** The value, unless something failed. */
	readonly outcome: <T>(value: () => T) => Outcome<T, PlanFailure>;
}

export function newNotes(): Notes {
	const failures = new Map<string, PlanFailure>();
	const warnings: PlanWarning[] = [];
	// Two stages with the same fault are one fault of what was written.
	const add = (failure: PlanFailure) => {
		failures.set(`${failure.at?.join('\0')}\0${failure.source}\0${failure.message}`, failure);
	};
	return {
		warnings,
		manifest: (at, message, what) => add({ exit: 3, message, at, what, source: null }),
		config: (source, message) => add({ exit: 3, message, at: null, source }),
		flag: (flag, message) => add({ exit: 2, message, at: null, source: flag }),
		warn: (message, { at = null, source = null } = {}) => {
			if (!warnings.some((other) => other.message === message)) warnings.push({ message, at, source });
		},
		refusal: () => {
			const [first, ...rest] = failures.values();
			return fail(first!, ...rest);
		},
		outcome: (value) => {
			const [first, ...rest] = failures.values();
			return first === undefined ? pass(value()) : fail(first, ...rest);
		},
	};
}
