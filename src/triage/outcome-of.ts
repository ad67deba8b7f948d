import { ExitCode, exitCodeOf } from '../contract/exit-code.ts';
import type { FailureClass } from '../contract/stage-failure.ts';

export function statusOf(kind: FailureClass): 'failed' | 'needs_human' | 'interrupted' {
	const code = exitCodeOf(kind);
	if (code === ExitCode.interrupted) return 'interrupted';
	return code === ExitCode.needsHuman ? 'needs_human' : 'failed';
}
