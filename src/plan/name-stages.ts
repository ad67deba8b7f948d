import { own } from '../contract/own.ts';
import type { Roles } from '../contract/role.ts';
import { hint } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { Situation, WrittenStage } from './situation.ts';
import { sourceOf } from './walk.ts';

/** The profile's stages as tool, role and number. What cannot be read is noted and left out. */
export function readStages({ input, choice }: Situation, tools: ReadonlySet<string>, notes: Notes): readonly WrittenStage[] {
	const stages: WrittenStage[] = [];
	choice.stages.forEach((written, index) => {
		const complain = (problem: string) => {
			notes.config(stageSource({ input, choice }, index), `profile "${choice.name}" of group ${choice.group}: ${problem}`);
		};
		if (choice.stages.indexOf(written) < index) {
			complain(`stage "${written}" is listed twice; write the later one "${written}-2"`);
			return;
		}
		const read = readStage(written, input.roles, tools);
		if (typeof read === 'string') complain(read);
		else stages.push({ ...read, written, index });
	});
	return stages;
}

/** Where a stage of the profile is written. */
export function stageSource({ input, choice }: Pick<Situation, 'input' | 'choice'>, index: number): string {
	const path = ['pipelines', choice.group, 'profiles', choice.name, 'stages'];
	const layer = choice.replacesDefault ? 'user' : 'defaults';
	return input.config.source(layer, [...path, String(index)]) ?? sourceOf(input.config, path);
}

type Reading = Pick<WrittenStage, 'role' | 'contract' | 'fixedTool' | 'number'>;

/** A role if such a role exists, else `<tool>_<role>` split at the first `_`; `-2`, `-3` may follow. */
export function readStage(written: string, roles: Roles, tools: ReadonlySet<string>): Reading | string {
	const [, base = written, digits] = /^(.+)-([2-9]|[1-9]\d+)$/.exec(written) ?? [];
	const spellings =
		digits === undefined
			? [{ text: written, number: 1 }]
			: [
					{ text: written, number: 1 },
					{ text: base, number: Number(digits) },
				];
	for (const { text, number } of spellings) {
		const contract = own(roles, text);
		if (contract !== undefined) return { role: text, contract, fixedTool: null, number };
	}
	for (const { text, number } of spellings) {
		const [tool, role] = splitName(text);
		const contract = own(roles, role);
		if (tool !== null && tools.has(tool) && contract !== undefined) return { role, contract, fixedTool: tool, number };
	}
	return whyUnreadable(written, base, roles, tools);
}

function whyUnreadable(written: string, base: string, roles: Roles, tools: ReadonlySet<string>): string {
	const [tool, role] = splitName(base);
	const names = Object.keys(roles);
	if (tool === null) return `unknown role "${base}"${hint(base, names)}`;
	if (!tools.has(tool)) return `stage "${written}" names an unknown servant "${tool}"${hint(tool, tools)}`;
	return `stage "${written}" has an unknown role "${role}"${hint(role, names)}`;
}

function splitName(text: string): readonly [string | null, string] {
	const at = text.indexOf('_');
	return at < 0 ? [null, text] : [text.slice(0, at), text.slice(at + 1)];
}

/** `<tool>_<role>` for each, in order; of those that collide the later ones become `-2`, `-3`. */
export function nameStages(
	stages: readonly { readonly tool: string; readonly role: string; readonly number: number }[],
): readonly string[] {
	const taken = new Set<string>();
	return stages.map(({ tool, role, number }) => {
		const base = `${tool}_${role}`;
		const name = freeName(number > 1 ? `${base}-${number}` : base, base, taken);
		taken.add(name);
		return name;
	});
}

export function freeName(wanted: string, base: string, taken: ReadonlySet<string>): string {
	let name = wanted;
	for (let next = 2; taken.has(name); next++) name = `${base}-${next}`;
	return name;
}
