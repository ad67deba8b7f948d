import type { Plan } from '../contract/plan.ts';

/** These stages and all that need one of them, through however many others. In the plan's order. */
export function withDependents({ stages }: Plan, names: readonly string[]): string[] {
	const found = new Set(names);
	for (let before = 0; before !== found.size; ) {
		before = found.size;
		for (const stage of stages) if (stage.needs.some((need) => found.has(need))) found.add(stage.name);
	}
	return stages.map((stage) => stage.name).filter((name) => found.has(name));
}

/** All that a stage needs, through however many others. */
export function neededBy({ stages }: Plan, name: string): ReadonlySet<string> {
	const found = new Set<string>();
	const add = (from: string) => {
		for (const need of stages.find((stage) => stage.name === from)?.needs ?? []) {
			if (found.has(need)) continue;
			found.add(need);
			add(need);
		}
	};
	add(name);
	return found;
}

/** Who mends what a stage found wrong: the last writing stage among those it needs. */
export function writerBefore(plan: Plan, name: string): string | null {
	const needed = neededBy(plan, name);
	return plan.stages.findLast((stage) => stage.access === 'write' && needed.has(stage.name))?.name ?? null;
}
