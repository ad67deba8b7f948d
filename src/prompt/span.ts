/** Half-open range of a text. */
export type Span = readonly [from: number, to: number];
