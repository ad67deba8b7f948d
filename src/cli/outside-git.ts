import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { OpenedPacket, Refusal } from '../run/open-packet.ts';
import { repositoryOf } from '../worktree/repository.ts';

/** Without git nobody can tell what a servant changed: a packet that writes is refused there. */
export function refuseOutsideGit(opened: Outcome<OpenedPacket, Refusal>): Outcome<OpenedPacket, Refusal> {
	if (!opened.ok) return opened;
	const { project, plan, loaded } = opened.value;
	const writing = plan.stages.find((stage) => stage.access === 'write');
	if (writing === undefined || repositoryOf(project.root) !== null) return pass(opened.value);
	const message = `${writing.name} writes, and this is not a git repository: run git init and make a first commit`;
	return fail({ exit: 3, complaint: loaded.complain(['task_id'], message) });
}
