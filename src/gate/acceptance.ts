import type { AcceptanceResult } from '../contract/evidence.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { passLine } from './pass-line.ts';

/** Every command that failed, and the report's own FAIL. With no report yet (''), the commands alone: a failed one spares the servant. */
export function acceptanceFailure(results: readonly AcceptanceResult[], report: string): StageFailure | null {
	const reasons = results.filter((result) => result.timedOut || result.exitCode !== 0).map(howItFailed);
	if (passLine(report) === 'FAIL') reasons.push('the report ends in FAIL');
	return reasons.length === 0 ? null : { class: 'acceptance_failed', reasons };
}

function howItFailed({ command, exitCode, timedOut, durationSec }: AcceptanceResult): string {
	if (timedOut) return `${command}: ended after ${Math.round(durationSec)} s`;
	return exitCode === null ? `${command}: killed` : `${command}: exit ${exitCode}`;
}
