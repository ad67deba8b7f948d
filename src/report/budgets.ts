import { type Manifest, manifestDefaults } from '../contract/manifest.ts';
import type { Plan } from '../contract/plan.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { costOf } from '../journal/totals.ts';
import type { BudgetsView } from './summary-shape.ts';

/** Used and allowed; null while neither a plan nor a manifest says what is allowed. */
export function budgetsOf(plan: Plan | null, manifest: Manifest | null, state: PacketState): BudgetsView | null {
	const allowed = plan?.budgets ?? (manifest === null ? null : { ...manifestDefaults, max_cost_usd: null, ...manifest.budgets });
	if (allowed === null) return null;
	return {
		paidCalls: { used: state.calls.used, allowed: allowed.paid_call_budget, inDoubt: state.calls.inDoubt },
		cost: {
			usedUsd: costOf(state.metas),
			allowedUsd: allowed.max_cost_usd ?? null,
			unknownCalls: state.metas.filter((meta) => meta.cost_usd === null && meta.prompt_sha256 !== null).length,
		},
		retriesPerSignature: allowed.retry_budget,
		wallclockSec: allowed.max_wallclock_sec,
	};
}
