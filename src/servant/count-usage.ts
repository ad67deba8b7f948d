import type { Usage } from '../contract/meta.ts';
import type { Reading } from '../contract/servant.ts';

const unknownUsage: Usage = { input_tokens: null, cached_input_tokens: null, output_tokens: null };

/** Beyond this many ids a stream is not honest; the rest is added up without them. */
export const MAX_IDS = 100_000;

/** Adds up what a stream says about tokens. A total replaces everything before it. */
export function countUsage(): { add(reading: Extract<Reading, { kind: 'usage' }>): void; sum(): Usage; billed(): Usage } {
	let listed = unknownUsage;
	let billed = unknownUsage;
	const byId = new Map<string, { usage: Usage; billed: Usage }>();
	return {
		add: ({ mode, usage, billed: priced = usage, id }) => {
			if (mode === 'total') {
				listed = usage;
				billed = priced;
				byId.clear();
				return;
			}
			const before = id === undefined ? undefined : byId.get(id);
			if (before) {
				listed = minus(listed, before.usage);
				billed = minus(billed, before.billed);
			}
			listed = plus(listed, usage);
			billed = plus(billed, priced);
			if (id !== undefined && (before || byId.size < MAX_IDS)) byId.set(id, { usage, billed: priced });
		},
		sum: () => listed,
		billed: () => billed,
	};
}

/** Without what earlier runs of the same session used. A total below that was not cumulative after all. */
export function withoutBaseline(usage: Usage, baseline: Usage | null): Usage {
	if (baseline === null) return usage;
	const cumulative = keys.every((key) => usage[key] === null || usage[key] >= (baseline[key] ?? 0));
	return cumulative ? minus(usage, baseline) : usage;
}

const keys = ['input_tokens', 'cached_input_tokens', 'output_tokens'] as const;

const plus = (a: Usage, b: Usage): Usage => combine(a, b, 1);
const minus = (a: Usage, b: Usage): Usage => combine(a, b, -1);

function combine(a: Usage, b: Usage, sign: 1 | -1): Usage {
	const of = (key: (typeof keys)[number]): number | null => {
		if (b[key] === null) return a[key];
		return a[key] === null ? (sign === 1 ? b[key] : null) : Math.max(0, a[key] + sign * b[key]);
	};
	return { input_tokens: of('input_tokens'), cached_input_tokens: of('cached_input_tokens'), output_tokens: of('output_tokens') };
}
