import type { RecordState } from './record.ts';

/**
 * Whether a finished wrapper provably never ran its servant, so that the call can be given back: it lost its claim
 * (125 without a start), or its shell could not execute the program and nothing but the shell has spoken.
 */
export function neverReached({
	token,
	record,
	wrapperExit,
	stdoutBytes,
	stderrHead,
}: {
	readonly token: string;
	readonly record: RecordState;
	/** Exit code of the wrapper itself; null when it was adopted, or ended by a signal. */
	readonly wrapperExit: number | null;
	readonly stdoutBytes: number;
	readonly stderrHead: string;
}): boolean {
	if (record.state === 'cancelled') return true;
	if (record.state === 'none' || record.state === 'empty') return wrapperExit === 125;
	const notExecuted = record.state === 'exited' && (record.exitCode === 126 || record.exitCode === 127);
	return notExecuted && stdoutBytes === 0 && stderrHead.startsWith(`dispatch-${token}:`);
}
