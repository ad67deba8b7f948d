import type { Plan } from '../contract/plan.ts';
import type { Workspace } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { gravestFailed } from '../journal/standing.ts';
import { orderOf } from './stage-order.ts';

export interface Position {
	readonly taskId: string;
	readonly status: PacketStatus;
	readonly plan: Plan | null;
	readonly state: PacketState;
	readonly workspace: Workspace | null;
}

/** `slug: sentence with the command to run`. A failure brings its own, from triage. */
export function nextActionFor(at: Position): string {
	const id = at.taskId;
	switch (at.status) {
		case 'pending':
			return `run: dispatch run ${id}`;
		case 'in_progress':
			return `wait: dispatch wait ${id}`;
		case 'completed':
			return uncommittedWord(at) ?? afterCompletion(at);
		case 'invalid':
			return `fix_manifest: correct the problems below, then dispatch run ${id}`;
		case 'interrupted':
			return interruptedWord(at) ?? `continue: dispatch run ${id} continues where it stopped`;
		default:
			return ownWord(at) ?? `inspect: dispatch logs ${id}, then dispatch retry ${id}`;
	}
}

function afterCompletion({ taskId, plan, state, workspace }: Position): string {
	const writes = plan?.stages.some((stage) => stage.access === 'write') ?? false;
	if (writes && workspace?.mode === 'worktree' && workspace.branch !== null) return `merge: git merge ${workspace.branch}`;
	const output = lastOutput(state, orderOf(plan, state));
	if (output === null) return 'none: nothing is left to do';
	const then = plan?.task_type === 'plan' ? goOn(taskId) : '';
	return `read_outputs: read outputs/${output}${then}`;
}

/** Runs as it stands: an id is derived that is not taken, and single quotes survive the front matter. */
const goOn = (id: string) => `; to go on: dispatch add 'Implement ${id}' --type implement --based-on ${id} (--allow PATH narrows it)`;

function lastOutput(state: PacketState, order: readonly string[]): string | null {
	const stage = order.map((name) => state.stages.get(name)).findLast((at) => at?.status === 'passed' && at.meta?.out_bytes !== null);
	return stage?.tool ? outputFile(stage.stage, stage.tool) : null;
}

export const outputFile = (stage: string, tool: string): string => `${stage}.${tool}.out`;

/** Not of a stage that failed before: what stopped the run is no failure. */
const interruptedWord = ({ state: { finished } }: Position): string | null =>
	(finished?.status === 'interrupted' && finished.next_action) || null;

/** Of a completed packet only the run that completed it knows what its worktree held. */
const uncommittedWord = ({ state: { finished } }: Position): string | null =>
	finished?.status === 'completed' && finished.next_action.startsWith('commit: ') ? finished.next_action : null;

function ownWord({ state, plan }: Position): string | null {
	return gravestFailed(state, orderOf(plan, state))?.failure.next_action || state.finished?.next_action || null;
}
