import type { Call } from './command.ts';

/** One document. JSON escapes what a terminal should not see, but for C1 controls and the like. */
export function printJson(call: Call, value: unknown): void {
	const text = JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, (char) =>
		[...char].flatMap((one) => units(one)).join(''),
	);
	call.out(`${text}\n`);
}

const units = (char: string): string[] =>
	Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`);
