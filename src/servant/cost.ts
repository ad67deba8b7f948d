import type { Usage } from '../contract/meta.ts';
import { own } from '../contract/own.ts';
import type { ServantFile } from '../contract/servant-file.ts';

/** USD for tokens, from the servant file's prices per million; null where model, price or tokens are not known. */
export function costOf(billed: Usage, prices: ServantFile['prices'], model: string | null): number | null {
	const price = model === null ? undefined : own(prices, model);
	if (!price || billed.input_tokens === null || billed.output_tokens === null) return null;
	const cached = Math.min(billed.cached_input_tokens ?? 0, billed.input_tokens);
	const input = (billed.input_tokens - cached) * price.input + cached * (price.cached_input ?? price.input);
	return (input + billed.output_tokens * price.output) / 1_000_000;
}
