import { own } from '../contract/own.ts';
import type { Profile } from '../contract/pipeline-file.ts';
import { hint, suggest } from '../contract/suggest.ts';
import type { Notes } from './notes.ts';
import type { PlanInput } from './plan-input.ts';
import { sourceOf } from './walk.ts';

export interface ChosenProfile {
	readonly intent: string;
	readonly group: string;
	readonly name: string;
	readonly profile: Profile;
	readonly stages: readonly string[];
	/** A profile of the user's with stages of its own replaces the package's whole: nothing below it counts. */
	readonly replacesDefault: boolean;
}

/** The intent's profile, or the task type's, or what `routing.pipeline.profile` puts in its place within the group. */
export function chooseProfile(input: PlanInput, notes: Notes): ChosenProfile | null {
	const start = fromIntent(input, notes);
	if (start === null) return null;
	const name = replaceProfile(input, start, notes);
	const { config } = input;
	const profile = own(own(config.merged.pipelines, start.group)?.profiles, name)!;
	const path = ['pipelines', start.group, 'profiles', name];
	if (profile.stages === undefined || profile.stages.length === 0) {
		notes.config(sourceOf(config, path), `profile "${name}" of group ${start.group} has no stages`);
		return null;
	}
	const users = own(own(config.user.pipelines, start.group)?.profiles, name);
	return {
		intent: start.intent,
		group: start.group,
		name,
		profile,
		stages: profile.stages,
		replacesDefault: users?.stages !== undefined,
	};
}

interface Start {
	readonly intent: string;
	readonly group: string;
	readonly said: string;
}

function fromIntent(input: PlanInput, notes: Notes): Start | null {
	const { manifest, config } = input;
	const intent = manifest.routing?.intent;
	if (intent) return groupOfIntent(input, intent, notes);
	const type = manifest.task_type;
	if (type === undefined) {
		notes.manifest([], 'routing.intent or task_type is required');
		return null;
	}
	if (own(own(config.merged.pipelines, 'task')?.profiles, type) === undefined) {
		notes.manifest(['task_type'], `group task has no profile "${type}" for this task_type`);
		return null;
	}
	return { intent: type, group: 'task', said: `task_type "${type}"` };
}

function groupOfIntent({ config }: PlanInput, intent: string, notes: Notes): Start | null {
	const { pipelines } = config.merged;
	const groups = groupsWith(pipelines, intent);
	// A name that both the package and the user gave to profiles of different groups means the user's.
	const users = groups.length > 1 ? groupsWith(config.user.pipelines, intent) : groups;
	const [group, ...others] = users.length === 1 ? users : groups;
	if (group === undefined) {
		notes.manifest(['routing', 'intent'], unknownIntent(pipelines, intent));
		return probably(pipelines, intent);
	}
	if (others.length > 0) {
		notes.manifest(['routing', 'intent'], `intent "${intent}" is a profile of several groups: ${groups.join(', ')}; rename all but one`);
		return null;
	}
	return { intent, group, said: `intent "${intent}"` };
}

type Pipelines = PlanInput['config']['merged']['pipelines'];

function groupsWith(pipelines: Pipelines, profile: string): readonly string[] {
	return Object.keys(pipelines).filter((group) => own(pipelines[group]?.profiles, profile) !== undefined);
}

function unknownIntent(pipelines: Pipelines, intent: string): string {
	const standard = own(pipelines, intent)?.default_profile;
	if (standard !== undefined) return `unknown intent "${intent}": it is a group, whose default profile is "${standard}"`;
	return `unknown intent "${intent}"${hint(intent, profilesOf(pipelines))}`;
}

/** What a misspelt intent was meant to be, to look at the rest of the manifest with. */
function probably(pipelines: Pipelines, intent: string): Start | null {
	const meant = own(pipelines, intent)?.default_profile ?? suggest(intent, profilesOf(pipelines));
	const [group, ...others] = meant ? groupsWith(pipelines, meant) : [];
	return !meant || group === undefined || others.length > 0 ? null : { intent: meant, group, said: `intent "${meant}"` };
}

function profilesOf(pipelines: Pipelines): ReadonlySet<string> {
	return new Set(Object.values(pipelines).flatMap((group) => Object.keys(group.profiles ?? {})));
}

function replaceProfile({ manifest, config }: PlanInput, start: Start, notes: Notes): string {
	const wanted = manifest.routing?.pipeline?.profile;
	if (!wanted) return start.intent;
	const profiles = own(config.merged.pipelines, start.group)?.profiles ?? {};
	if (Object.hasOwn(profiles, wanted)) return wanted;
	const at = ['routing', 'pipeline', 'profile'];
	const elsewhere = groupsWith(config.merged.pipelines, wanted);
	if (elsewhere.length === 0) {
		notes.manifest(at, `group ${start.group} has no profile "${wanted}"${hint(wanted, Object.keys(profiles))}`);
	} else {
		const known = Object.keys(profiles).join(', ');
		notes.manifest(
			at,
			`profile "${wanted}" is of group ${elsewhere.join(', ')}, but ${start.said} is of group ${start.group}, whose profiles are ${known}`,
		);
	}
	// What else is wrong is said too, as of the profile that was probably meant.
	return suggest(wanted, Object.keys(profiles)) ?? start.intent;
}
