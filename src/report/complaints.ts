import { type Complaint, renderComplaint } from '../contract/complaint.ts';
import { cut, cutStart, width } from './columns.ts';
import { visible, visibleLine } from './visible.ts';

/** Complaints as a person reads them, safe to print: what is quoted was typed by somebody, or by something. */
export const renderComplaints = (complaints: readonly Complaint[]): string => complaints.map(shownComplaint).join('\n');

/** One complaint: a line, and where it has one the offending line with its caret. */
export function shownComplaint(complaint: Complaint): string {
	return renderComplaint({
		...complaint,
		file: visibleLine(complaint.file),
		message: visibleLine(complaint.message),
		...windowOf(complaint),
	});
}

/**
 * A complaint without secrets. The caret moves with what it points at; where that was itself within one, or the line is so long that
 * finding it again would take its time, there is no line.
 */
export function quoted(complaint: Complaint, redact: (text: string) => string): Complaint {
	const { message, excerpt, col } = complaint;
	const line = excerpt === null ? null : redact(excerpt);
	const shown = { ...complaint, message: redact(message) };
	if (line === null || line === excerpt) return { ...shown, excerpt: line };
	if (excerpt!.length > mostFoundAgain) return { ...shown, excerpt: null };
	const before = redact(excerpt!.slice(0, (col ?? 1) - 1));
	return line.startsWith(before) ? { ...shown, excerpt: line, caret: before.length + 1 } : { ...shown, excerpt: null };
}

const mostFoundAgain = 16 * 1024;

/** Columns for a line; in a summary, where lines end at 200, there is room for its number beside them. */
const room = 160;
/** Of a line that is longer, what stands before the place is left where it is short, else its end is shown. */
const mostBefore = 100;
const endBefore = 60;

/** The line, or the part of it around the place, and where below it the caret stands. */
function windowOf({ excerpt, col, caret }: Complaint): { readonly excerpt: string | null; readonly caret?: number } {
	const at = (caret ?? col ?? 1) - 1;
	if (excerpt === null || at > excerpt.length) return { excerpt: null };
	const before = oneLine(excerpt.slice(Math.max(0, at - room), at));
	const after = oneLine(excerpt.slice(at, at + room + 1));
	const isShort = at <= room && cut(before + after, room) === before + after;
	const start = isShort || cut(before, mostBefore) === before ? before : cutStart(before, endBefore);
	return { excerpt: start + cut(after, room - width(start)), caret: width(start) + 1 };
}

/** A tab becomes one space, wherever it would have led. */
const oneLine = (text: string): string => visible(text.replaceAll('\t', ' ')).replaceAll('\n', ' ');
