import type { Evidence } from '../contract/evidence.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { outOfScope } from './scope.ts';

/** A writing role must have changed the tree since it last passed. A diff in the answer that could be applied was applied before the tree was compared. */
export function changeFailure({ work, diff, scope }: Evidence): StageFailure | null {
	if (work?.some((change) => change.ignored !== true && change.protected !== true)) return null;
	if (diff.kind === 'broken')
		return { class: 'no_change', reason: `the work tree is unchanged and the answer's diff does not apply: ${diff.reason}` };
	const outside = diff.kind === 'applies' ? outOfScope(asChanges(diff.paths), scope, 'write') : [];
	if (outside.length > 0) {
		return { class: 'no_change', reason: `the work tree is unchanged and the answer's diff leaves the scope: ${outside.join(', ')}` };
	}
	return { class: 'no_change' };
}

/** Why a proposed diff cannot be taken. Where the manifest gives no scope at all, only its denials bind: nothing is written here. */
export function proposalProblems({ diff, scope }: Evidence): string[] {
	switch (diff.kind) {
		case 'not_required':
			return [];
		case 'none':
			return ['the answer holds neither a unified diff nor the line "No diff required."'];
		case 'broken':
			return [`the proposed diff does not apply: ${diff.reason}`];
		case 'applies': {
			const allow = scope.allow.length === 0 ? ['**'] : scope.allow;
			const outside = outOfScope(asChanges(diff.paths), { allow, deny: scope.deny }, 'write');
			return outside.length === 0 ? [] : [`the proposed diff leaves the scope: ${outside.join(', ')}`];
		}
	}
}

const asChanges = (paths: readonly string[]) => paths.map((path) => ({ path, kind: 'modified' as const }));
