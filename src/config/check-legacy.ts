import type { Complaint } from '../contract/complaint.ts';
import type { DispatchFile } from '../contract/dispatch-file.ts';
import { own } from '../contract/own.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';

/** Words of older configurations that still count, and what they should be now. */
export function checkLegacy(facts: ConfigFacts): readonly Complaint[] {
	return facts.parts.flatMap((part) => [...turnsIn(part), ...(part.at[0] === 'dispatch' ? strayModels(part, facts) : [])]);
}

interface Steps {
	readonly max_steps?: number | undefined;
	readonly max_turns?: number | undefined;
}

function turnsIn(part: Part): readonly Complaint[] {
	if (part.at[0] === 'pipelines') return [];
	const { defaults, task_types = {} } = part.value as DispatchFile & ServantFile;
	const places: readonly (readonly [readonly string[], Steps | undefined])[] = [
		[[], part.value as Steps],
		[['defaults'], defaults],
		...Object.entries(task_types).map(([type, steps]) => [['task_types', type], steps] as const),
	];
	return places.flatMap(([path, steps]) => {
		const message = steps === undefined ? null : turnsMessage(steps);
		return message === null ? [] : [complainOf(part, [...path, 'max_turns'], message, { what: 'key', level: 'warning' })];
	});
}

function turnsMessage({ max_steps, max_turns }: Steps): string | null {
	if (max_turns === undefined || max_turns === max_steps) return null;
	if (max_steps === undefined) return 'max_turns is deprecated; use max_steps';
	return `max_steps is ${max_steps} and max_turns is ${max_turns}; max_steps counts`;
}

/** A type's model that the servant its type is routed to does not have, but another one has. */
function strayModels(part: Part, { merged }: ConfigFacts): readonly Complaint[] {
	const { task_types = {} } = part.value as DispatchFile;
	return Object.entries(task_types).flatMap(([type, settings]) => {
		const model = settings?.model;
		const tool = own<string>(merged.dispatch.task_providers, type);
		if (model === undefined || tool === undefined || allows(merged.servants[tool], model)) return [];
		const owners = Object.keys(merged.servants).filter((other) => other !== tool && allows(merged.servants[other], model));
		if (owners.length === 0) return [];
		const message = `provider/model mismatch: model "${model}" is one of ${owners.join(', ')}, but ${type} is routed to ${tool}`;
		return [complainOf(part, ['task_types', type, 'model'], message, { level: 'warning' })];
	});
}

const allows = (file: ServantFile | undefined, model: string) => file?.allowed_models?.includes(model) ?? false;
