import type { DispatchEvent, EventOf } from '../contract/event.ts';
import { never } from '../contract/outcome.ts';

export interface LiveStage {
	readonly task_id: string;
	readonly stage: string;
	readonly tool: string;
	readonly attempt: number;
	/** Why it was called again, from its reservation. */
	readonly kind: string;
	/** Milliseconds, by the events' clock. */
	readonly since: number;
	readonly steps: number | null;
	readonly costUsd: number | null;
	readonly overtime: boolean;
	readonly activity: string | null;
	readonly waiting: { readonly until: string; readonly class: string } | null;
	/** When a plain line was last written about it. */
	readonly said: number;
}

interface Key {
	readonly task_id: string;
	readonly stage: string;
}

/** The stages that are on their way, of all packets, as the events tell. */
export class LiveStages {
	private readonly live = new Map<string, LiveStage>();
	private readonly plans = new Map<string, readonly string[]>();

	all(): readonly LiveStage[] {
		return [...this.live.values()];
	}

	get(at: Key): LiveStage | null {
		return this.live.get(key(at)) ?? null;
	}

	planned(taskId: string): readonly string[] {
		return this.plans.get(taskId) ?? [];
	}

	mark(at: Key, said: number): void {
		const stage = this.get(at);
		if (stage !== null) this.live.set(key(at), { ...stage, said });
	}

	fold(event: DispatchEvent): void {
		if (event.type === 'run_started') this.plans.set(event.task_id, event.plan_stages);
		else if (event.type === 'run_finished') for (const at of this.all()) this.drop(at, at.task_id === event.task_id);
		else if (event.type === 'stage_finished') this.drop(event, true);
		else if (event.type === 'stage_collected') this.drop(event, event.call === 'returned');
		else this.put(event, changeBy(event));
	}

	private drop(at: Key, whether: boolean): void {
		if (whether) this.live.delete(key(at));
	}

	private put(event: Key & { attempt: number; provider: string; time: string }, change: Partial<LiveStage>): void {
		const { task_id, stage, attempt, provider: tool } = event;
		const time = Date.parse(event.time);
		const fresh = { kind: 'first', since: time, steps: null, costUsd: null, overtime: false, activity: null, waiting: null, said: time };
		this.live.set(key(event), { ...fresh, ...this.get(event), ...change, task_id, stage, attempt, tool });
	}
}

type Progressing = EventOf<'stage_reserved' | 'stage_started' | 'stage_progress' | 'stage_waiting' | 'stage_fallback'>;

function changeBy(event: Progressing): Partial<LiveStage> {
	const time = Date.parse(event.time);
	switch (event.type) {
		case 'stage_reserved':
			return { kind: event.kind, since: time, steps: null, costUsd: null, overtime: false, activity: null, waiting: null };
		case 'stage_started':
			return { since: time, activity: null, waiting: null };
		case 'stage_progress': {
			const { steps, cost_usd: costUsd, overtime, activity } = event;
			return { steps, costUsd, overtime, activity, waiting: null, since: time - event.elapsed_sec * 1000 };
		}
		case 'stage_waiting':
			return { waiting: { until: event.until, class: event.class } };
		case 'stage_fallback':
			return { waiting: null };
		default:
			return never(event);
	}
}

const key = (at: Key): string => `${at.task_id}/${at.stage}`;
