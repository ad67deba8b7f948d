import type { DispatchEvent } from '../contract/event.ts';
import { never } from '../contract/outcome.ts';
import { money, seconds } from '../report/amounts.ts';
import { visibleLine } from '../report/visible.ts';

/** An event as a person reads it: `2026-01-31T09:30:00.000Z codex_review#1 passed in 12.3s`. */
export function journalLine(event: DispatchEvent): string {
	const who = 'stage' in event ? `${event.stage}#${event.attempt} ` : '';
	return visibleLine(`${event.time} ${who}${words(event)}`);
}

function words(event: DispatchEvent): string {
	switch (event.type) {
		case 'run_started':
			return `run started by process ${event.pid} (${event.plan_stages.join(', ')})${event.rerun.length > 0 ? `; again: ${event.rerun.join(', ')}` : ''}`;
		case 'stage_reserved':
			return `reserved: ${event.kind} ${event.paid ? 'paid ' : ''}call of ${event.provider}${event.model === null ? '' : ` with ${event.model}`}`;
		case 'stage_started':
			return `${event.adopted ? 'adopted' : 'started'}: ${event.provider}, process ${event.pid}`;
		case 'stage_progress':
			return `running for ${seconds(event.elapsed_sec)}${event.activity === null ? '' : `: ${event.activity}`}`;
		case 'stage_waiting':
			return `waits until ${event.until} (${event.class})`;
		case 'stage_fallback':
			return `falls back from ${event.from} to ${event.provider} (${event.class})`;
		case 'stage_collected':
			return `collected: the call is ${event.call.replace('_', ' ')}`;
		case 'stage_finished': {
			const { duration_sec, cost_usd } = event.meta;
			const figures = `${duration_sec === null ? '' : ` in ${seconds(duration_sec)}`}${cost_usd === null ? '' : ` for ${money(cost_usd)}`}`;
			if (event.status === 'passed') return `passed${figures}${event.verdict === null ? '' : `, ${event.verdict}`}`;
			return `failed${figures}: ${event.class} (${event.decision}) ${event.reason ?? ''}`;
		}
		case 'run_finished':
			return `run finished: ${event.status}, exit ${event.exit_code}; next: ${event.next_action}`;
		default:
			return never(event);
	}
}
