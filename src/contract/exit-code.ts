/** What a script can rely on. */
export const ExitCode = {
	completed: 0,
	failed: 1,
	usage: 2,
	invalid: 3,
	budget: 4,
	locked: 5,
	needsHuman: 6,
	blocked: 7,
	bug: 70,
	interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const gravity: readonly number[] = [130, 70, 6, 4, 3, 1];

/** Of several outcomes the gravest decides. */
export function gravest(codes: readonly number[]): number {
	return gravity.find((code) => codes.includes(code)) ?? codes.find((code) => code !== 0) ?? 0;
}
