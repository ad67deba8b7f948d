/** Calls and cost that several packets share (`work --max-calls --max-cost`). A run asks before it reserves. */
export interface Purse {
	/** Takes one call out; false when none is left. */
	readonly takeCall: () => boolean;
	readonly giveBack: () => void;
	readonly addCost: (usd: number) => void;
	/** Why nothing more may be started, or null. */
	readonly empty: () => string | null;
}

export const bottomless: Purse = { takeCall: () => true, giveBack: () => {}, addCost: () => {}, empty: () => null };

export function purseOf({ maxCalls, maxCostUsd }: { readonly maxCalls: number | null; readonly maxCostUsd: number | null }): Purse {
	let calls = 0;
	let cost = 0;
	const empty = () => {
		if (maxCalls !== null && calls >= maxCalls)
			return maxCalls === 1 ? 'the one call of --max-calls is used' : `all ${maxCalls} calls of --max-calls are used`;
		if (maxCostUsd !== null && cost >= maxCostUsd) return `$${cost.toFixed(2)} of --max-cost ${maxCostUsd} is spent`;
		return null;
	};
	return {
		takeCall: () => {
			if (empty() !== null) return false;
			calls++;
			return true;
		},
		giveBack: () => {
			calls--;
		},
		addCost: (usd) => {
			cost += usd;
		},
		empty,
	};
}
