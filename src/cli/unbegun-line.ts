import type { Complaint } from '../contract/complaint.ts';
import type { PacketStatus } from '../contract/words.ts';
import { ndjsonLine } from '../report/ndjson.ts';
import { problemFields } from './problem-fields.ts';

/** How a packet stands that was to run and of which nothing was begun. */
export interface Unbegun {
	readonly taskId: string;
	readonly status: PacketStatus;
	readonly exitCode: number;
	readonly nextAction: string;
	/** As they may be shown. */
	readonly problems?: readonly Complaint[];
}

/** The `run_finished` that such a packet's journal does not have: whoever reads events waits for one. */
export const unbegunLine = ({ taskId, status, exitCode, nextAction, problems }: Unbegun): string =>
	ndjsonLine({
		time: new Date().toISOString(),
		task_id: taskId,
		type: 'run_finished',
		status,
		exit_code: exitCode,
		next_action: nextAction,
		...(problems === undefined ? {} : { problems: problems.map(problemFields) }),
	});
