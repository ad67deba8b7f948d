import type { DispatchEvent, EventOf } from '../contract/event.ts';
import { counted } from './amounts.ts';
import { type Colour, makeColour } from './colour.ts';
import { cut, pad, width } from './columns.ts';
import { LiveBlock } from './live-block.ts';
import { type LiveStage, LiveStages } from './live-stages.ts';
import { figuresOf, liveWords, nextWords, plainFinish, plainRunning, startedWords, waitingWords } from './stage-words.ts';
import { visible, visibleLine } from './visible.ts';

export interface ConsoleOptions {
	readonly stream: { write(text: string): unknown };
	readonly isTTY: boolean;
	readonly colour: boolean;
	/** Nothing but errors. */
	readonly quiet: boolean;
	/** Asked anew for every drawing: the window may have been resized. */
	readonly columns: () => number;
	readonly rows?: () => number;
	/** Milliseconds. */
	readonly now: () => number;
	readonly intervalSec: number;
	/** Lines carry the task's id: several packets run side by side. */
	readonly manyPackets?: boolean;
	readonly summaryPath?: (taskId: string) => string;
	/** The log of a stage that failed for good, or the end of it. */
	readonly tail?: (at: { taskId: string; stage: string; tool: string; attempt: number; class: string | null }) => string;
	readonly redact?: (text: string, taskId: string) => string;
}

export interface RunConsole {
	event(event: DispatchEvent): void;
	note(text: string): void;
	/** Shown even when quiet. */
	error(text: string): void;
	/** To be called once a second or so: elapsed times go on, running lines become due. */
	tick(): void;
	/** Takes the running lines away; nothing is drawn afterwards. */
	finish(): void;
}

const tailLines = 10;

/** Progress for a person: on a terminal a line per running stage that updates in place, elsewhere plain lines. */
export function makeConsole(options: ConsoleOptions): RunConsole {
	const { stream, isTTY, quiet, now, redact = (text: string) => text } = options;
	const paint = makeColour(options.colour);
	const columns = () => Math.max(20, options.columns() || 80);
	const live = new LiveStages();
	const block = new LiveBlock(stream, columns, () => Math.max(2, options.rows?.() || 24));
	let over = false;

	const draws = isTTY && !quiet;
	const say = (lines: readonly string[]) => {
		if (over) return;
		if (draws) block.show(lines, live.all().map(liveLine));
		else if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
	};
	const tell = (...lines: string[]) => say(quiet ? [] : lines);
	const title = (at: { task_id: string; stage: string }) =>
		`${options.manyPackets ? `${visibleLine(at.task_id)} ` : ''}${visibleLine(at.stage)}`;
	const aligned = (at: { task_id: string; stage: string }) => pad(title(at), Math.min(48, longestTitle(live, at.task_id, title)));

	function liveLine(stage: LiveStage): string {
		const symbol = stage.waiting === null ? paint.cyan('→') : paint.yellow('○');
		const words = liveWords(stage, now(), (text) => visibleLine(redact(text, stage.task_id)));
		return `${symbol} ${cut(`${aligned(stage)}  ${words.join('  ')}`, columns() - 3)}`;
	}

	function event(event: DispatchEvent): void {
		const before = 'stage' in event ? live.get(event) : null;
		live.fold(event);
		if (event.type === 'stage_finished') stageFinished(event);
		else if (event.type === 'run_finished') runFinished(event);
		else if (event.type === 'run_started') tell(paint.dim(`${visibleLine(event.task_id)}: ${counted(event.plan_stages.length, 'stage')}`));
		else if (event.type === 'stage_fallback') fallback(event);
		else if (isTTY) tell();
		// Its start is told in a moment; that it had waited is no reason to say that it runs.
		else if (event.type === 'stage_reserved') live.mark(event, now());
		else if (event.type === 'stage_started') plain(event, startedWords(event, live.get(event)));
		else if (event.type === 'stage_waiting') plain(event, waitingWords(event, now()));
		else if (event.type === 'stage_progress' && event.activity !== null && event.activity !== before?.activity)
			plain(event, visibleLine(redact(event.activity, event.task_id)));
		else tick();
	}

	function fallback(event: EventOf<'stage_fallback'>): void {
		const words = `falls back from ${visibleLine(event.from)} to ${visibleLine(event.provider)} (${event.class})`;
		if (isTTY) tell(`${paint.yellow('↻')} ${aligned(event)}  ${words}`);
		else plain(event, words);
	}

	function plain(event: { task_id: string; stage: string }, words: string): void {
		live.mark(event, now());
		tell(`${title(event)} ${words}`);
	}

	function stageFinished(event: EventOf<'stage_finished'>): void {
		const reason = cut(visibleLine(redact(event.reason ?? '', event.task_id)), 200);
		const line = isTTY ? finishedLine(event, reason, aligned(event), paint) : `${title(event)} ${plainFinish(event, reason)}`;
		if (event.status === 'passed' || event.decision !== 'stop') {
			tell(line);
			return;
		}
		const { task_id: taskId, stage, provider: tool, attempt } = event;
		const log = options.tail?.({ taskId, stage, tool, attempt, class: event.class }) ?? '';
		const tail = visible(redact(log, event.task_id)).trimEnd().split('\n').slice(-tailLines);
		const most = isTTY ? columns() - 5 : 200;
		say([line, ...(log.trim() === '' ? [] : tail.map((text) => paint.dim(`    ${cut(text.trimEnd(), most)}`)))]);
	}

	function runFinished(event: EventOf<'run_finished'>): void {
		const good = event.status === 'completed';
		if (quiet && good) return;
		const mark = good ? paint.green('✓') : event.status === 'pending' ? paint.yellow('○') : paint.red('✗');
		const symbol = isTTY ? `${mark} ` : '';
		const next = nextWords(redact(event.next_action, event.task_id), event.task_id);
		const summary = options.summaryPath?.(event.task_id);
		say([
			`${symbol}${paint.bold(`${visibleLine(event.task_id)} ${event.status}`)}`,
			...(next === '' ? [] : [`  next: ${next}`]),
			...(summary === undefined ? [] : [`  summary: ${visibleLine(summary)}`]),
		]);
	}

	function tick(): void {
		if (draws) say([]);
		if (isTTY) return;
		const due = live.all().filter((stage) => stage.waiting === null && now() - stage.said >= options.intervalSec * 1000 - 500);
		for (const stage of due) plain(stage, plainRunning(stage, now()));
	}

	function finish(): void {
		if (draws && !over) block.clear();
		over = true;
	}

	const lines = (text: string) => visible(redact(text, '')).trimEnd().split('\n');
	return { event, tick, finish, note: (text) => tell(...lines(text)), error: (text) => say(lines(text)) };
}

function longestTitle(live: LiveStages, taskId: string, title: (at: { task_id: string; stage: string }) => string): number {
	return Math.max(0, ...live.planned(taskId).map((stage) => width(title({ task_id: taskId, stage }))));
}

function finishedLine(event: EventOf<'stage_finished'>, reason: string, name: string, paint: Colour): string {
	const figures = figuresOf(event.meta).join('  ');
	const parts = (...all: string[]) => all.filter((part) => part !== '').join('  ');
	if (event.status === 'passed') return `${paint.green('✓')} ${parts(name, 'passed', figures, event.verdict ?? '')}`;
	const [symbol, then] = event.decision === 'stop' ? [paint.red('✗'), ''] : [paint.yellow('↻'), `(${event.decision})`];
	return `${symbol} ${parts(name, event.class ?? 'failed', figures, then, reason)}`;
}
