import { own } from '../contract/own.ts';
import { hint } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';
import { sourceOf } from './walk.ts';

/** A fallback that does not exist would be found out only when it is needed. */
export function checkFallback({ config }: PlanInput, tool: string, tools: ReadonlySet<string>, notes: Notes): void {
	for (const other of own(config.merged.servants, tool)?.fallback ?? []) {
		if (other === '' || tools.has(other)) continue;
		notes.config(sourceOf(config, ['servants', tool, 'fallback']), `fallback of ${tool}: unknown servant "${other}"${hint(other, tools)}`);
	}
}
