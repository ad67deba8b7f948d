import type { PlannedStage } from '../contract/plan.ts';

/** A stage by its name, or as its profile writes it where only one stage is written so; null if there is none. */
export function stageCalled(stages: readonly Pick<PlannedStage, 'name' | 'written'>[], wanted: string): string | null {
	if (stages.some((stage) => stage.name === wanted)) return wanted;
	const written = stages.filter((stage) => stage.written === wanted);
	return written.length === 1 ? written[0]!.name : null;
}
