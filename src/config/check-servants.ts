import { builtInTools } from '../contract/built-in-tools.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { DispatchFile } from '../contract/dispatch-file.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { hint, suggest } from '../contract/suggest.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';

/** Every servant that is named exists, and every one that exists can be called. */
export function checkServants(facts: ConfigFacts): readonly Complaint[] {
	return [...facts.parts.flatMap((part) => namesIn(part, facts)), ...uncallable(facts)];
}

function namesIn(part: Part, { configured }: ConfigFacts): readonly Complaint[] {
	const unknown = (path: readonly (string | number)[], name: string | undefined): readonly Complaint[] => {
		if (!name || configured.has(name)) return [];
		return [complainOf(part, path, `unknown servant "${name}"${hint(name, configured)}`)];
	};
	if (part.at[0] === 'dispatch') {
		const { provider, task_providers = {} } = part.value as DispatchFile;
		const routed = Object.entries(task_providers).flatMap(([type, name]) => unknown(['task_providers', type], name));
		return [...unknown(['provider'], provider), ...routed];
	}
	if (part.at[0] !== 'servants') return [];
	const tool = part.at[1]!;
	const fallbacks = ((part.value as ServantFile).fallback ?? []).flatMap((name, i) =>
		name === tool ? [complainOf(part, ['fallback', i], `${tool} cannot fall back to itself`)] : unknown(['fallback', i], name),
	);
	return [...(part.inFile.length === 0 ? [] : undescribed(part, tool, configured)), ...fallbacks];
}

/** `providers.<tool>` only adds to a servant that something else describes. */
function undescribed(part: Part, tool: string, configured: ReadonlySet<string>): readonly Complaint[] {
	if (configured.has(tool)) return [];
	const meant = suggest(tool, configured);
	const help = meant === null ? `describe it in configs/servant/${tool}.yaml` : `did you mean "${meant}"?`;
	return [complainOf(part, [], `unknown servant "${tool}"; ${help}`, { what: 'key' })];
}

function uncallable({ merged, winner, configured }: ConfigFacts): readonly Complaint[] {
	const builtIn: readonly string[] = builtInTools;
	const tools = Object.keys(merged.servants).filter((tool) => configured.has(tool) && !builtIn.includes(tool));
	return tools.flatMap((tool) => {
		const part = winner(['servants', tool]);
		if (part === undefined || merged.servants[tool]!.command !== undefined) return [];
		return [complainOf(part, [], `servant "${tool}" is not built in and needs a command`, { what: 'key' })];
	});
}
