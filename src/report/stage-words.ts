import type { EventOf } from '../contract/event.ts';
import type { Meta } from '../contract/meta.ts';
import { counted, money, seconds, timeOfDay, wholeSeconds } from './amounts.ts';
import type { LiveStage } from './live-stages.ts';
import { visibleLine } from './visible.ts';

/** The words for one stage on the console. */

export function liveWords(stage: LiveStage, now: number, shown: (text: string) => string): string[] {
	const tries = stage.attempt > 1 ? [`attempt ${stage.attempt}`] : [];
	if (stage.waiting !== null) return [`waiting until ${timeOfDay(stage.waiting.until, now)} (${stage.waiting.class})`, ...tries];
	const tool = stage.stage.startsWith(`${stage.tool}_`) ? [] : [visibleLine(stage.tool)];
	return [...progress(stage, now), ...tool, ...tries, ...(stage.activity === null ? [] : [shown(stage.activity)])];
}

export const plainRunning = (stage: LiveStage, now: number): string => `running ${progress(stage, now).join(', ')}`;

function progress(stage: LiveStage, now: number): string[] {
	const past = stage.overtime ? ['overtime'] : [];
	return [wholeSeconds((now - stage.since) / 1000), ...past, ...spent(stage.steps, stage.costUsd)];
}

export function startedWords(event: EventOf<'stage_started'>, stage: LiveStage | null): string {
	const again = stage === null || stage.kind === 'first' ? '' : `, ${stage.kind}`;
	return `${event.adopted ? 'adopted' : 'started'} (${visibleLine(event.provider)}, attempt ${event.attempt}${again})`;
}

export const waitingWords = (event: EventOf<'stage_waiting'>, now: number): string =>
	`waiting until ${timeOfDay(event.until, now)} (${event.class})`;

export function plainFinish(event: EventOf<'stage_finished'>, reason: string): string {
	const figures = figuresOf(event.meta).join(', ');
	if (event.status === 'passed') return ['completed', [figures, event.verdict].filter(Boolean).join(', ')].filter(Boolean).join(' ');
	const then = event.decision === 'stop' ? '' : ` (${event.decision} follows)`;
	return `failed: ${event.class}${figures === '' ? '' : ` after ${figures}`}${then}${reason === '' ? '' : `: ${reason}`}`;
}

export const figuresOf = (meta: Meta): string[] => [
	...(meta.duration_sec === null ? [] : [seconds(meta.duration_sec)]),
	...spent(meta.num_steps_computed ?? meta.num_steps_reported, meta.cost_usd),
];

const spent = (steps: number | null, costUsd: number | null): string[] => [
	...(steps === null ? [] : [counted(steps, 'step')]),
	...(costUsd === null ? [] : [money(costUsd)]),
];

/** Of `slug: sentence` what a person reads, who stands at the project's root and not in the packet. */
export const nextWords = (nextAction: string, taskId: string): string =>
	visibleLine(nextAction)
		.replace(/^[a-z_]+: /, '')
		.replace(/^read outputs\//, () => `read .tmp/task/${visibleLine(taskId)}/outputs/`);
