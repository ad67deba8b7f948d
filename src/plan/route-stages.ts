import { own } from '../contract/own.ts';
import { hint } from '../contract/suggest.ts';
import { nameStages } from './name-stages.ts';
import type { Notes } from './notes.ts';
import { routeStage } from './route-stage.ts';
import type { RoutedStage, Situation, WrittenStage } from './situation.ts';
import type { Walked } from './walk.ts';

export interface StageRoute {
	readonly stage: RoutedStage;
	readonly toolWalked: Walked<string>;
}

/** Tools and names of all stages, and which entry of `routing.stages` speaks of which. */
export function routeStages(situation: Situation, stages: readonly WrittenStage[], notes: Notes): readonly StageRoute[] {
	const routes = stages.map((stage) => routeStage(situation, stage));
	const names = nameStages(stages.map((stage, i) => ({ ...stage, tool: routes[i]!.tool })));
	// A manifest may also use the name a routed stage has in the plan, and goes on meaning it when the run is forced elsewhere.
	const unforced = nameStages(stages.map((stage, i) => ({ ...stage, tool: routes[i]!.unforced })));
	const routed = stages.map((stage, i): StageRoute => {
		const { tool, unforced: asked, asWritten, walked } = routes[i]!;
		const overrideKey = overrideKeyOf(situation, stage.written, [names[i]!, unforced[i]!]);
		const own = { overrideKey, ownOverride: tool === asked, ownEntries: asWritten };
		return { stage: { ...stage, tool, name: names[i]!, ...own }, toolWalked: walked };
	});
	checkOverrides(situation, routed, notes);
	warnOfProvider(situation, routed, notes);
	return routed;
}

/** Who names a servant and sees it not called must hear why before another one is paid. */
function warnOfProvider({ input, choice }: Situation, routed: readonly StageRoute[], notes: Notes): void {
	const { flags, manifest } = input;
	if (flags.force_task_provider || routed.some(({ stage }) => stage.fixedTool === null)) return;
	const why = `every stage of profile "${choice.name}" has its tool in its name; --force-task-provider`;
	const warn = (who: string, tool: string | undefined, at: readonly string[] | null) => {
		if (tool && routed.some(({ stage }) => stage.tool !== tool)) notes.warn(`${who} is not used: ${why} ${tool} would move them`, { at });
	};
	warn(`--provider ${flags.provider}`, flags.provider, null);
	warn(`provider ${manifest.provider} of the manifest`, manifest.provider, ['provider']);
}

/** The key below `routing.stages`: as written in the profile, else the plan's name where no other stage is written so. */
export function overrideKeyOf({ input, choice }: Situation, written: string, names: readonly string[]): string | null {
	const overrides = input.manifest.routing?.stages;
	if (own(overrides, written) !== undefined) return written;
	return names.find((name) => own(overrides, name) !== undefined && !choice.stages.includes(name)) ?? null;
}

function checkOverrides({ input, choice }: Situation, routed: readonly StageRoute[], notes: Notes): void {
	for (const [key, override] of Object.entries(input.manifest.routing?.stages ?? {})) {
		const at = ['routing', 'stages', key];
		const stage = routed.find((route) => route.stage.overrideKey === key)?.stage;
		if (stage === undefined) {
			// A stage that a flag took away may keep its entry.
			if (!choice.stages.includes(key))
				notes.manifest(at, `profile "${choice.name}" has no stage "${key}"${hint(key, choice.stages)}`, 'key');
		} else if (stage.written !== key && override.provider && override.provider !== stage.tool) {
			notes.manifest([...at, 'provider'], `the provider of this stage is set under its name in the profile, "${stage.written}"`);
		} else if (!stage.ownOverride && (override.model || override.effort)) {
			const unused = [override.model ? 'model' : '', override.effort ? 'effort' : ''].filter(Boolean).join(' and ');
			const instead = override.model ? `; routing.model.${stage.tool} would count` : '';
			notes.warn(`${at.join('.')}: ${unused} not used, because the stage is re-routed to ${stage.tool}${instead}`, {
				at: [...at, override.model ? 'model' : 'effort'],
			});
		}
	}
}
