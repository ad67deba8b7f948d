import { type Complaint, renderComplaint } from '../contract/complaint.ts';
import { visible, visibleLine } from './visible.ts';

/** Complaints as a person reads them, safe to print: what is quoted was typed by somebody, or by something. */
export const renderComplaints = (complaints: readonly Complaint[]): string => complaints.map(shownComplaint).join('\n');

/** One complaint: a line, and where it has one the offending line with its caret. */
export function shownComplaint(complaint: Complaint): string {
	return renderComplaint({
		...complaint,
		file: visibleLine(complaint.file),
		message: visibleLine(complaint.message),
		excerpt: excerptOf(complaint),
	});
}

/** A tab becomes one space, so that the caret stays below what it points at; far to the right it would point at nothing. */
function excerptOf({ excerpt, col }: Complaint): string | null {
	if (excerpt === null || (col ?? 1) > 160) return null;
	return visible(excerpt.slice(0, 400).replaceAll('\t', ' ')).replaceAll('\n', ' ');
}
