import { ExitCode } from '../contract/exit-code.ts';
import { never } from '../contract/outcome.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { failedStages, gravestFailed } from '../journal/standing.ts';
import { counted } from './amounts.ts';
import type { StageRow } from './summary-shape.ts';

export interface Happening {
	readonly status: PacketStatus;
	readonly stages: readonly StageRow[];
	readonly state: PacketState;
	readonly order: readonly string[];
	readonly verdict: string | null;
	readonly problems: number;
}

/** What happened, in one sentence. */
export function headlineOf(at: Happening): string {
	switch (at.status) {
		case 'pending':
			return at.stages.length === 0 ? 'Not started.' : `Not started; ${counted(at.stages.length, 'stage')} planned.`;
		case 'in_progress':
			return `${busy(at)}; ${passedOf(at)}.`;
		case 'completed':
			return `${at.stages.length === 1 ? 'The stage' : `All ${at.stages.length} stages`} passed${verdictWords(at)}.`;
		case 'failed':
			return `${failedWords(at)}; ${passedOf(at)}.`;
		case 'needs_human':
			return `A human is needed: ${failedWords(at)}; ${passedOf(at)}.`;
		case 'interrupted':
			if (at.state.finished?.exit_code === ExitCode.budget)
				return `Stopped between two calls, because --max-calls or --max-cost of the queue is used up; ${passedOf(at)}.`;
			return `Interrupted while ${broken(at)}; ${passedOf(at)}.`;
		case 'invalid':
			return `The packet is invalid (${counted(at.problems, 'problem')}); nothing was started or paid for.`;
		default:
			return never(at.status);
	}
}

function busy({ stages }: Happening): string {
	const running = stages.filter((stage) => ['running', 'waiting'].includes(stage.status) && stage.waitingUntil === null);
	const waiting = stages.filter((stage) => stage.waitingUntil !== null).map((stage) => `${stage.name} is ${waitingWords(stage)}`);
	const named = running.length === 0 ? [] : [`Running: ${running.map((stage) => stage.name).join(', ')}`];
	return [...named, ...waiting].join('; ') || 'Running';
}

function broken({ stages }: Happening): string {
	const stopped = stages.filter((stage) => stage.status === 'interrupted' || stage.status === 'failed');
	const running = stopped.filter((stage) => stage.waitingUntil === null).map((stage) => stage.name);
	const waiting = stopped.filter((stage) => stage.waitingUntil !== null).map((stage) => `${stage.name} was ${waitingWords(stage)}`);
	const named = running.length === 0 ? [] : [`${running.join(', ')} ${running.length === 1 ? 'was' : 'were'} running`];
	return [...named, ...waiting].join(' and ') || 'no stage was running';
}

const waitingWords = ({ waitingUntil, gate }: StageRow): string => `waiting until ${waitingUntil} (${gate})`;

const passedOf = ({ stages }: Happening): string =>
	`${stages.filter((stage) => stage.status === 'passed').length} of ${counted(stages.length, 'stage')} passed`;

function failedWords({ state, order }: Happening): string {
	const stage = gravestFailed(state, order);
	if (stage === null) return 'the run stopped before a stage could start';
	const others = failedStages(state, order).length - 1;
	const tries = stage.attempt > 1 ? ` in attempt ${stage.attempt}` : '';
	return `${stage.stage} failed with ${stage.failure.class}${tries}${others > 0 ? ` (and ${counted(others, 'other')})` : ''}`;
}

function verdictWords({ state, order, verdict }: Happening): string {
	const findings = order.map((name) => state.stages.get(name)?.findings).findLast((found) => found);
	const counts = findings ? `${findings.high} high, ${findings.medium} medium, ${findings.low} low` : null;
	if (verdict === null) return counts === null ? '' : `; findings: ${counts}`;
	return `; verdict ${verdict}${counts === null ? '' : ` (${counts})`}`;
}
