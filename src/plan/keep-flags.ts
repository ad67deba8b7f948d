import type { Config } from '../contract/config.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { allowedModels } from './allowed-models.ts';
import type { PlanInput } from './plan-input.ts';

export interface KeptFlags {
	readonly flags: PlanFlags;
	/** Those of them that were not typed now. */
	readonly kept: ReadonlySet<keyof PlanFlags>;
	readonly warnings: readonly string[];
}

/**
 * The flags of an earlier run under those of this call. An empty one drops what was kept, and what is typed now is not to be overruled by
 * what was typed then.
 */
export function keepFlags(config: Config, earlier: PlanFlags, typed: PlanFlags): KeptFlags {
	const warnings: string[] = [];
	const kept = present(earlier).filter(([flag]) => typed[flag] === undefined);
	const named = typed.force_task_provider || typed.provider;
	const whyDropped = (flag: keyof PlanFlags, value: string): string | null => {
		if (flag === 'force_task_provider' && typed.provider) return ` for --provider ${typed.provider}; give both to have both`;
		const misfit = flag === 'model' && named ? allowedModels(config).misfit(named, value) : null;
		return misfit && `: ${misfit}`;
	};
	const left = kept.filter(([flag, value]) => {
		const why = whyDropped(flag, value);
		if (why !== null) warnings.push(`${option(flag)} ${value}, kept from an earlier run, is dropped${why}`);
		return why === null;
	});
	return { flags: Object.fromEntries([...left, ...present(typed)]), kept: new Set(left.map(([flag]) => flag)), warnings };
}

function present(flags: PlanFlags): readonly (readonly [keyof PlanFlags, string])[] {
	return (Object.entries(flags) as [keyof PlanFlags, string | undefined][]).flatMap(([flag, value]) => (value ? [[flag, value]] : []));
}

const option = (flag: keyof PlanFlags): string => `--${flag.replaceAll('_', '-')}`;

/** A flag as the source of a value. */
export function flagSource({ keptFlags }: PlanInput, flag: keyof PlanFlags): string {
	const name = option(flag);
	return keptFlags?.has(flag) ? `${name} (kept from an earlier run; ${name} "" drops it)` : name;
}

/** Words to add to a complaint that flags of an earlier run may be to blame for. */
export function keptHint({ flags, keptFlags }: PlanInput, ...concerned: readonly (keyof PlanFlags)[]): string {
	const blamed = concerned.filter((flag) => keptFlags?.has(flag));
	return blamed.map((flag) => `; ${option(flag)} ${flags[flag]} is kept from an earlier run, ${option(flag)} "" drops it`).join('');
}
