import type { Complaint } from '../contract/complaint.ts';
import type { OpenedPacket } from '../run/open-packet.ts';

/** What a plan warns of, as complaints about the manifest; a budget's at the line that sets it. */
export function planWarnings({ plan, loaded }: OpenedPacket): Complaint[] {
	return plan.warnings.map((message) => {
		const [budget] = /^(paid_call_budget|max_cost_usd)\b/.exec(message) ?? [];
		const written = budget !== undefined && loaded.manifest.budgets !== undefined;
		const complaint = loaded.complain(written ? ['budgets', budget] : [], message, { level: 'warning' });
		return written ? complaint : { ...complaint, line: null, col: null, excerpt: null };
	});
}
