import type { EventOf } from '../contract/event.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { RunContext } from './run-context.ts';

/** The servant's own session of this stage's last attempt, with all that it has used so far. */
export function sessionToResume(ctx: RunContext, stage: PlannedStage): EventOf<'stage_reserved'>['session'] {
	const { servant } = ctx.servantOf(stage.tool);
	const last = ctx.journal.state.metas.findLast((meta) => meta.stage === stage.name && meta.tool === stage.tool);
	if (!servant.canResume || !last?.session_id || last.outcome === 'passed') return null;
	const same = ctx.journal.state.metas.filter((meta) => meta.tool === stage.tool && meta.session_id === last.session_id);
	const sum = (value: (meta: (typeof same)[number]) => number | null) => same.reduce((total, meta) => total + (value(meta) ?? 0), 0);
	return {
		id: last.session_id,
		usage: {
			input_tokens: sum((meta) => meta.usage.input_tokens),
			cached_input_tokens: sum((meta) => meta.usage.cached_input_tokens),
			output_tokens: sum((meta) => meta.usage.output_tokens),
		},
		cost_usd: sum((meta) => meta.cost_usd),
	};
}
