import { hint } from '../contract/suggest.ts';
import type { AllowedModels } from './allowed-models.ts';
import { keptHint } from './keep-flags.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';
import { sourceOf } from './walk.ts';

/** Every servant that anything names is known, used or not: a wrong name is an error at the start, never in the middle. */
export function checkProviders(input: PlanInput, tools: ReadonlySet<string>, notes: Notes): void {
	const { manifest, config, flags, env } = input;
	const unknown = (tool: string | undefined, tell: (message: string) => void) => {
		if (tool && !tools.has(tool)) tell(`unknown servant "${tool}"${hint(tool, tools)}`);
	};
	const inManifest = (path: readonly string[], tool: string | undefined) => unknown(tool, (message) => notes.manifest(path, message));
	const inConfig = (path: readonly string[], tool: string | undefined) =>
		unknown(tool, (message) => notes.config(sourceOf(config, path), message));

	unknown(flags.force_task_provider, (message) => notes.flag('--force-task-provider', message + keptHint(input, 'force_task_provider')));
	unknown(flags.provider, (message) => notes.flag('--provider', message + keptHint(input, 'provider')));
	unknown(env.DISPATCH_PROVIDER, (message) => notes.config('DISPATCH_PROVIDER', message));
	inManifest(['provider'], manifest.provider);
	for (const [stage, override] of Object.entries(manifest.routing?.stages ?? {})) {
		inManifest(['routing', 'stages', stage, 'provider'], override.provider);
	}
	inConfig(['dispatch', 'provider'], config.merged.dispatch.provider);
	const type = manifest.task_type;
	if (type) inConfig(['dispatch', 'task_providers', type], config.merged.dispatch.task_providers?.[type]);
}

/** `routing.model.<tool>` is checked whether the plan calls that tool or not. */
export function checkToolModels({ manifest }: PlanInput, tools: ReadonlySet<string>, models: AllowedModels, notes: Notes): void {
	for (const [tool, model] of Object.entries(manifest.routing?.model ?? {})) {
		const at = ['routing', 'model', tool];
		if (!tools.has(tool)) notes.manifest(at, `unknown servant "${tool}"${hint(tool, tools)}`, 'key');
		else if (model !== '' && !models.allows(tool, model)) notes.manifest(at, models.refusal(tool, model));
	}
}
