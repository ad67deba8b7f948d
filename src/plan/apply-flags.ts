import { own } from '../contract/own.ts';
import { groupFlags } from '../contract/pipeline-file.ts';
import { suggest } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { Situation, WrittenStage } from './situation.ts';
import { sourceOf } from './walk.ts';

type Family = (stage: WrittenStage) => boolean;
const roles =
	(...names: string[]): Family =>
	(stage) =>
		names.includes(stage.role);
const enrichBy =
	(tool: string): Family =>
	(stage) =>
		stage.role === 'enrich' && stage.fixedTool === tool;

/** What a flag takes away when it is false. */
const families: Readonly<Record<string, Family>> = {
	enable_brief: roles('brief'),
	enable_verify: roles('verify', 'static_verify'),
	enable_review: roles('review', 'review_consolidate', 'cross_review'),
	enable_codex_enrich: enrichBy('codex'),
	enable_gemini_enrich: enrichBy('gemini'),
	enable_cross_review: roles('cross_review'),
};

/** The stages that the flags leave. */
export function applyFlags(situation: Situation, stages: readonly WrittenStage[], notes: Notes): readonly WrittenStage[] {
	const { input, choice } = situation;
	const given = input.manifest.routing?.pipeline?.flags ?? {};
	checkFlags(situation, given, notes);
	const flags: Record<string, boolean> = { ...choice.profile.flags, ...given };
	const off = Object.keys(flags).filter((flag) => flags[flag] === false);
	const kept = stages.filter((stage) => !off.some((flag) => own(families, flag)?.(stage)));
	if (kept.length === 0 && stages.length > 0) {
		const message = `nothing is left of profile "${choice.name}" with ${off.join(', ')} false`;
		if (off.some((flag) => Object.hasOwn(given, flag))) notes.manifest(['routing', 'pipeline', 'flags'], message);
		else notes.config(sourceOf(input.config, [...profilePath(situation), 'flags']), message);
	}
	return kept;
}

function checkFlags(situation: Situation, given: Readonly<Record<string, boolean>>, notes: Notes): void {
	const { input, choice } = situation;
	const known = own(groupFlags, choice.group) ?? Object.keys(families);
	const problem = (flag: string) => {
		const meant = suggest(flag, known);
		const allowed = known.length === 0 ? 'it has none' : `allowed: ${known.join(', ')}`;
		return `group ${choice.group} has no flag "${flag}"; ${meant === null ? '' : `did you mean "${meant}"? `}${allowed}`;
	};
	for (const flag of Object.keys(given)) {
		if (!known.includes(flag)) notes.manifest(['routing', 'pipeline', 'flags', flag], problem(flag), 'key');
	}
	for (const flag of Object.keys(choice.profile.flags ?? {})) {
		if (!known.includes(flag)) notes.config(sourceOf(input.config, [...profilePath(situation), 'flags', flag]), problem(flag));
	}
}

function profilePath({ choice }: Situation): readonly string[] {
	return ['pipelines', choice.group, 'profiles', choice.name];
}
