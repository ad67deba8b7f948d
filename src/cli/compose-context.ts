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
	return {
		names,
		manifest: loaded.manifest,
		plan,
		roles: project.roles,
		servantOf: project.servantOf,
		redact: redactor.value,
		...(await fromChain(project.root, names.id)),
		journal: { state },
	};
}

/** What the packets before it say. The queue is loaded only where there is a chain. */
async function fromChain(root: string, id: string): Promise<Pick<ComposeContext, 'lineage' | 'reviewed'>> {
	if (!inChain(root, id)) return { lineage: [], reviewed: null };
	const [{ lineageOf }, { askedOfReviewed }] = await Promise.all([import('../queue/lineage.ts'), import('../queue/under-review.ts')]);
	return { lineage: await lineageOf(root, id), reviewed: askedOfReviewed(root, id) };
}

/** Finished stages whose inputs are no longer what they were. */
export async function changedStages(project: Project, opened: OpenedPacket, plan: Plan): Promise<string[]> {
	return changedInputs(await composeContext(project, opened, plan));
}
