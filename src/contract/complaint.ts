/** A problem with something a person wrote, pointing at what was typed. */
export interface Complaint {
	readonly level: 'error' | 'warning';
	/** Path as shown to the user: relative to the project's root where possible. */
	readonly file: string;
	readonly line: number | null;
	readonly col: number | null;
	readonly message: string;
	/** The offending line as written, without its newline. */
	readonly excerpt: string | null;
	/** Where in the excerpt the caret stands, as columns from 1; left out: at `col`. */
	readonly caret?: number;
}

/**
 *     manifest.yaml:9:3  error  unknown key "paid_call_budgett"; did you mean "paid_call_budget"?
 *         9 |   paid_call_budgett: 3
 *           |   ^
 */
export function renderComplaint(c: Complaint): string {
	const place = [c.file, c.line, c.col].filter((part) => part !== null).join(':');
	const head = `${place}  ${c.level}  ${c.message}`;
	if (c.line === null || c.excerpt === null) return head;
	const gutter = String(c.line);
	const indent = ' '.repeat(4);
	const caret = ' '.repeat(Math.max(0, (c.caret ?? c.col ?? 1) - 1));
	return `${head}\n${indent}${gutter} | ${c.excerpt}\n${indent}${' '.repeat(gutter.length)} | ${caret}^`;
}
