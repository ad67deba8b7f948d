import type { AttemptNames } from '../packet/names.ts';
import { sizeOf } from '../packet/read.ts';

/** Where it stands why an attempt failed: in the output of the acceptance commands if they failed, else in the servant's stderr. */
export function failureLog({ artifact, err }: Pick<AttemptNames, 'artifact' | 'err'>, failureClass: string | null): string {
	return failureClass === 'acceptance_failed' && sizeOf(artifact) !== null ? artifact : err;
}
