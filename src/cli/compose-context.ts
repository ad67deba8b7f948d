import type { Plan } from '../contract/plan.ts';
import { makeRedactor } from '../prompt/redact.ts';
import { changedInputs } from '../run/changed-inputs.ts';
import type { ComposeContext } from '../run/compose-stage.ts';
import type { OpenedPacket } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import { inChain } from './checked-packet.ts';

/** What a run would compose prompts from, without a run. */
export async function composeContext(project: Project, opened: OpenedPacket, plan: Plan): Promise<ComposeContext> {
	const { names, state, loaded } = opened;
	const redactor = makeRedactor(loaded.manifest.security?.redaction_patterns ?? []);
	if (!redactor.ok) throw new Error(`a pattern passed validation and does not compile: ${redactor.failures[0]}`);
	const lineage = inChain(project.root, names.id) ? await (await import('../queue/lineage.ts')).lineageOf(project.root, names.id) : [];
	return {
		names,
		manifest: loaded.manifest,
		plan,
		roles: project.roles,
		servantOf: project.servantOf,
		redact: redactor.value,
		lineage,
		journal: { state },
	};
}

/** Finished stages whose inputs are no longer what they were. */
export async function changedStages(project: Project, opened: OpenedPacket, plan: Plan): Promise<string[]> {
	return changedInputs(await composeContext(project, opened, plan));
}
