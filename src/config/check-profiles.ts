import { circleIn } from '../contract/circle.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { Profile } from '../contract/pipeline-file.ts';
import { hint } from '../contract/suggest.ts';
import { checkChoices } from './check-choices.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';

/** Every profile has stages, and whatever names a stage or a profile names one that is there. */
export function checkProfiles(facts: ConfigFacts): readonly Complaint[] {
	const complaints: Complaint[] = facts.parts.flatMap(checkChoices);
	const groups = new Map<string, string>();
	for (const [group, { default_profile, profiles = {} }] of Object.entries(facts.merged.pipelines)) {
		const complain = complainer(facts, ['pipelines', group], complaints);
		if (default_profile !== undefined && !Object.hasOwn(profiles, default_profile)) {
			complain(['default_profile'], `unknown profile "${default_profile}"${hint(default_profile, Object.keys(profiles))}`);
		}
		for (const [name, profile] of Object.entries(profiles)) {
			const other = groups.get(name);
			if (other !== undefined) complain(['profiles', name], ambiguous(name, other, group), 'warning', 'key');
			groups.set(name, group);
			checkProfile(profile, complainer(facts, ['pipelines', group, 'profiles', name], complaints), name);
		}
	}
	return complaints;
}

type Complainer = (path: readonly (string | number)[], message: string, level?: Complaint['level'], what?: 'key' | 'value') => void;

/** Complains of what stands at a path of the merged configuration, in the file that it came from. */
function complainer({ winner }: ConfigFacts, base: readonly string[], complaints: Complaint[]): Complainer {
	return (path, message, level = 'error', what = 'value') => {
		const whole = [...base, ...path];
		const names = whole.filter((step) => typeof step === 'string');
		const part: Part | undefined = winner(names);
		if (part !== undefined) complaints.push(complainOf(part, whole.slice(part.at.length), message, { level, what }));
	};
}

function ambiguous(name: string, one: string, other: string): string {
	return `profile "${name}" is in the groups ${one} and ${other}; an intent of that name could mean either`;
}

function checkProfile(profile: Profile, complain: Complainer, name: string): void {
	const { stages, needs = {} } = profile;
	if (stages === undefined) {
		complain([], `profile "${name}" has no stages`, 'error', 'key');
		return;
	}
	// Stages that were wrong are complained of where they are written, and what speaks of them cannot be judged.
	if (stages.length === 0) return;
	stages.forEach((stage, i) => {
		if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(stage))
			complain(['stages', i], `"${stage}" cannot be a stage: a stage is <tool>_<role> or a role`);
		else if (stages.indexOf(stage) < i) complain(['stages', i], `stage "${stage}" occurs twice; call the second one "${stage}-2"`);
	});
	const unknown = (stage: string) => `unknown stage "${stage}"${hint(stage, stages)}`;
	for (const [stage, needed] of Object.entries(needs)) {
		if (!stages.includes(stage)) complain(['needs', stage], unknown(stage), 'error', 'key');
		needed.forEach((other, i) => {
			if (!stages.includes(other)) complain(['needs', stage, i], unknown(other));
		});
	}
	const circle = circleIn(needs);
	if (circle !== null) complain(['needs', circle[0]!], `stages wait for each other: ${circle.join(' → ')}`, 'error', 'key');
	for (const key of ['stage_models', 'stage_efforts', 'stage_max_steps'] as const) {
		for (const stage of Object.keys(profile[key] ?? {})) {
			if (!stages.includes(stage))
				complain([key, stage], `no stage "${stage}" in this profile, so this has no effect${hint(stage, stages)}`, 'warning', 'key');
		}
	}
}
