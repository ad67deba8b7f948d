import { ExitCode } from '../contract/exit-code.ts';
import { own } from '../contract/own.ts';
import { groupFlags, groupOptions } from '../contract/pipeline-file.ts';
import { FailureClass } from '../contract/stage-failure.ts';
import { Access, DigestPolicy, PacketStatus, Purpose, TaskType, TimeoutMode, Verdict, WorkspaceMode } from '../contract/words.ts';
import { knownTools } from '../plan/known-tools.ts';
import type { Project } from '../run/project.ts';

/** All that may be chosen in a manifest, a flag or a file, for editors and agents. */
export function choicesOf({ config, roles }: Project): object {
	const { pipelines, servants } = config.merged;
	const tools = [...knownTools(config)].sort();
	return {
		task_types: TaskType.options,
		purposes: Purpose.options,
		access: Access.options,
		timeout_modes: TimeoutMode.options,
		digest_policies: DigestPolicy.options,
		workspaces: WorkspaceMode.options,
		verdicts: Verdict.options,
		statuses: PacketStatus.options,
		failure_classes: FailureClass.options,
		exit_codes: ExitCode,
		intents: Object.values(pipelines).flatMap((pipeline) => Object.keys(pipeline.profiles ?? {})),
		tools: Object.fromEntries(
			tools.map((tool) => {
				const { default_model = null, allowed_models = [], fallback = [] } = own(servants, tool) ?? {};
				return [tool, { default_model, models: allowed_models, fallback }];
			}),
		),
		roles: roles.roles,
		groups: Object.fromEntries(
			Object.entries(pipelines).map(([group, { default_profile = null, profiles = {} }]) => [
				group,
				{
					default_profile,
					profiles: Object.fromEntries(Object.entries(profiles).map(([name, { stages = [], needs = null }]) => [name, { stages, needs }])),
					// A group that a project adds knows them all.
					flags: own(groupFlags, group) ?? [...new Set(Object.values(groupFlags).flat())],
					options: own(groupOptions, group) ?? Object.assign({}, ...Object.values(groupOptions)),
				},
			]),
		),
	};
}
