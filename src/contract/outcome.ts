/** Either a value, or every reason we could not produce one. */
export type Outcome<T, F> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failures: readonly [F, ...F[]] };

export const pass = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const fail = <F>(first: F, ...rest: F[]): { readonly ok: false; readonly failures: readonly [F, ...F[]] } => ({
	ok: false,
	failures: [first, ...rest],
});

/** Ends a switch over a union: a new member does not compile until every switch has an answer for it. */
export function never(value: never): never {
	throw new Error(`unforeseen case: ${JSON.stringify(value)}`);
}
