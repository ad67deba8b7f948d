import { own } from '../contract/own.ts';
import type { Level, PlannedStage } from '../contract/plan.ts';
import { resolveEffort } from './resolve-effort.ts';
import { resolveTimeout, resolveTimeoutMode } from './resolve-limits.ts';
import type { ModelChoice } from './resolve-model.ts';
import { resolveSteps } from './resolve-steps.ts';
import type { RoutedStage, Situation } from './situation.ts';
import type { Walked } from './walk.ts';

export interface ResolvedStage {
	readonly planned: PlannedStage;
	/** field → the chain that was tried */
	readonly tried: Readonly<Record<string, readonly Level[]>>;
}

/** All values of a stage whose tool and model are chosen. */
export function resolveStage(situation: Situation, stage: RoutedStage, chosen: Chosen): ResolvedStage {
	const walked = {
		tool: chosen.tool,
		model: chosen.model.walked,
		effort: resolveEffort(situation, stage),
		timeout_sec: resolveTimeout(situation, stage),
		timeout_mode: resolveTimeoutMode(situation, stage),
		max_steps: resolveSteps(situation, stage),
	};
	const tried: Record<string, readonly Level[]> = {};
	const sources: Record<string, string> = {};
	for (const [field, { levels, source }] of Object.entries<Walked<string | number>>(walked)) {
		tried[field] = levels;
		sources[field] = source ?? "the servant's own default";
	}
	sources.purpose = sources.access = `role ${stage.role}`;
	const planned: PlannedStage = {
		name: stage.name,
		written: stage.written,
		tool: stage.tool,
		role: stage.role,
		purpose: stage.contract.purpose,
		access: stage.contract.access,
		model: walked.model.value,
		effort: walked.effort.value,
		timeout_sec: walked.timeout_sec.value!,
		timeout_mode: walked.timeout_mode.value!,
		max_steps: walked.max_steps.value!,
		needs: [...chosen.needs],
		fallback: fallbackOf(situation, stage.tool),
		sources,
	};
	return { planned, tried };
}

export interface Chosen {
	readonly tool: Walked<string>;
	readonly model: ModelChoice;
	readonly needs: readonly string[];
}

function fallbackOf({ input }: Situation, tool: string): string[] {
	const listed = own(input.config.merged.servants, tool)?.fallback ?? [];
	return [...new Set(listed.filter((other) => other !== '' && other !== tool))];
}
