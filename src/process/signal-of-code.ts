import { constants } from 'node:os';

/** 129–143 is a signal in a shell's words; from 144 on it is a plain code (some CLIs exit with parts of HTTP codes). */
export function signalOfCode(code: number): NodeJS.Signals | null {
	if (code < 129 || code > 143) return null;
	const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
	return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}
