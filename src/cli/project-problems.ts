import { complainAbout } from '../config/complain-about.ts';
import type { LoadedManifest } from '../config/load-manifest.ts';
import { whole } from '../config/read-files.ts';
import type { Complaint } from '../contract/complaint.ts';
import { idProblem, misnamedPackets, packetIds } from '../packet/find-packet.ts';
import { knownTools } from '../plan/known-tools.ts';
import { readStage } from '../plan/name-stages.ts';
import { sourceOf } from '../plan/walk.ts';
import { checkTemplates } from '../prompt/check-templates.ts';
import { chainComplaints } from '../queue/chain.ts';
import { indexPackets } from '../queue/packet-index.ts';
import { counted } from '../report/amounts.ts';
import { type OpenedPacket, openPacket } from '../run/open-packet.ts';
import { type Project, readableRoles } from '../run/project.ts';
import type { Call } from './command.ts';
import { refuseOutsideGit } from './outside-git.ts';
import { planWarnings, worktreeWarnings } from './plan-warnings.ts';
import { problemFields } from './problem-fields.ts';
import { flagsOf, projectOutcome, projectPlaces } from './project-of.ts';
import { suggestRouting } from './suggest-routing.ts';
import { unplannedProblems } from './unplanned-problems.ts';

/** Everything that is wrong with a project. Where the configuration is, packets are read but not planned. */
export async function projectProblems(call: Call): Promise<{ readonly checked: string; readonly problems: Complaint[] }> {
	const ids = packetIds(call.root);
	const opened = projectOutcome(call);
	const checked = `configuration, templates and ${counted(ids.length, 'packet')}`;
	const misnamed = misnamedPackets(call.root).map(misnamedProblem);
	if (!opened.ok) {
		const templates = checkTemplates(readableRoles(projectPlaces(call)));
		return { checked, problems: [...opened.failures, ...templates, ...misnamed, ...unplannedProblems(call.root, ids)] };
	}
	const project = opened.value;
	const packets = await packetProblems(call, project, ids);
	return {
		checked,
		problems: once([...project.config.warnings, ...checkTemplates(project.roles), ...stageProblems(project), ...misnamed, ...packets]),
	};
}

const misnamedProblem = (name: string): Complaint =>
	whole(`.tmp/task/${name}`, `cannot be a packet: ${idProblem(name)}; rename the directory`);

/** What is wrong with a profile is wrong for every packet that uses it, and said once. */
function once(problems: readonly Complaint[]): Complaint[] {
	return [...new Map(problems.map((problem) => [JSON.stringify(problemFields(problem)), problem])).values()];
}

async function packetProblems(call: Call, project: Project, ids: readonly string[]): Promise<Complaint[]> {
	const entries = indexPackets(project.root);
	const planned: OpenedPacket[] = [];
	const problems: Complaint[] = [];
	for (const id of ids) {
		const checkChain = (loaded: LoadedManifest) => chainComplaints(entries, loaded, id);
		const opened = refuseOutsideGit(openPacket({ project, id, flags: flagsOf(call), env: call.env, checkChain }));
		if (opened.ok) planned.push(opened.value);
		problems.push(...(opened.ok ? planWarnings(opened.value) : opened.failures.map((refusal) => refusal.complaint)));
	}
	const manifests = planned.map(({ loaded }) => loaded);
	return [...problems, ...(await worktreeWarnings(planned)), ...suggestRouting(manifests, project.config)];
}

/** Every stage of every profile must be a role that has a template, whether a packet uses it or not. */
function stageProblems({ root, config, roles }: Project): Complaint[] {
	const tools = knownTools(config);
	return Object.entries(config.merged.pipelines).flatMap(([group, { profiles = {} }]) =>
		Object.entries(profiles).flatMap(([name, { stages = [] }]) =>
			stages.flatMap((written, at) => {
				const read = readStage(written, roles.roles, tools);
				if (typeof read !== 'string') return [];
				const source = sourceOf(config, ['pipelines', group, 'profiles', name, 'stages', String(at)]);
				return [complainAbout(root, source, `profile "${name}" of group ${group}: ${read}`)];
			}),
		),
	);
}
