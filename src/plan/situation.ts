import type { RoleContract } from '../contract/role.ts';
import type { AllowedModels } from './allowed-models.ts';
import type { ChosenProfile } from './choose-profile.ts';
import type { PlanInput } from './plan-input.ts';
import type { Candidate } from './walk.ts';
import { inLayer } from './walk.ts';

/** What every value of every stage is resolved from. */
export interface Situation {
	readonly input: PlanInput;
	readonly choice: ChosenProfile;
	readonly models: AllowedModels;
}

/** A stage as the profile writes it. */
export interface WrittenStage {
	readonly written: string;
	readonly index: number;
	readonly role: string;
	readonly contract: RoleContract;
	/** The tool in its name; null: routed. */
	readonly fixedTool: string | null;
	/** 1, or what follows the dash of `review-2`. */
	readonly number: number;
}

/** A stage whose tool is known. */
export interface RoutedStage extends WrittenStage {
	readonly tool: string;
	readonly name: string;
	/** Key below `routing.stages` that speaks of this stage. */
	readonly overrideKey: string | null;
	/** Whether model and effort below that key were written for this tool: the provider beside them, or what the stage has unless forced. */
	readonly ownOverride: boolean;
	/** Whether the profile's model and effort were: for the tool in the stage's name, or what it is routed to unless forced. */
	readonly ownEntries: boolean;
}

/** An entry of the profile: the user's, and the package's unless the user's profile replaces it. */
export function fromProfile<T>({ input, choice }: Situation, level: string, rest: readonly string[]): readonly Candidate<T>[] {
	const path = ['pipelines', choice.group, 'profiles', choice.name, ...rest];
	const users = inLayer<T>(input.config, 'user', level, path);
	return choice.replacesDefault ? [users] : [users, inLayer<T>(input.config, 'defaults', level, path)];
}
