import { circleIn } from '../contract/circle.ts';
import { hint } from '../contract/suggest.ts';
import type { ChosenProfile } from './choose-profile.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';
import { sourceOf } from './walk.ts';

/** What each stage waits for, by written names, with the stages in `removed` cut out and the gaps closed. */
export function needsOf(
	stages: readonly string[],
	needs: Needs | undefined,
	removed: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
	const direct = (stage: string): readonly string[] => {
		if (needs === undefined) return stages.slice(0, stages.indexOf(stage)).slice(-1);
		return (Object.hasOwn(needs, stage) && needs[stage]) || [];
	};
	const through = (stage: string, found: Set<string>, seen: Set<string>) => {
		for (const need of direct(stage)) {
			if (seen.has(need)) continue;
			seen.add(need);
			if (removed.has(need)) through(need, found, seen);
			else found.add(need);
		}
		return found;
	};
	const kept = stages.filter((stage) => !removed.has(stage));
	return new Map(
		kept.map((stage) => {
			const found = through(stage, new Set(), new Set());
			return [stage, kept.filter((other) => found.has(other))] as const;
		}),
	);
}

type Needs = Readonly<Record<string, readonly string[]>>;

/** `needs` may name only stages of its profile, and may not go in a circle. */
export function checkNeeds({ config }: PlanInput, choice: ChosenProfile, notes: Notes): void {
	const needs = choice.profile.needs;
	if (needs === undefined) return;
	const path = ['pipelines', choice.group, 'profiles', choice.name, 'needs'];
	const complain = (key: string, problem: string) => {
		notes.config(sourceOf(config, [...path, key]), `profile "${choice.name}" of group ${choice.group}: ${problem}`);
	};
	for (const [stage, list] of Object.entries(needs)) {
		if (!choice.stages.includes(stage)) complain(stage, `needs speaks of "${stage}", which is no stage of it${hint(stage, choice.stages)}`);
		for (const need of list) {
			if (!choice.stages.includes(need)) complain(stage, `"${stage}" needs "${need}", which is no stage of it${hint(need, choice.stages)}`);
		}
	}
	const circle = circleIn(needs);
	if (circle !== null) complain(circle[0]!, `stages wait for each other in a circle: ${circle.join(' → ')}`);
}
