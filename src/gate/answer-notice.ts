import { limitNotice } from '../contract/complaint-text.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { failureFromComplaint } from './complaint-failure.ts';
import { headings, missingSections } from './sections.ts';

/** A real answer that mentions limits is longer, or has the sections it was asked for. */
const longestNotice = 2000;

/** Some CLIs end well and print "usage limit reached" or a refusal where the answer should be. */
export function noticeInPlaceOfAnswer(evidence: Evidence): StageFailure | null {
	const { answer, role } = evidence;
	if (answer.length > longestNotice || headings(answer).length > 0) return null;
	if (role.sections.length > 0 && missingSections(answer, role).length === 0) return null;
	const notice = limitNotice(answer.trim());
	return notice === null ? null : failureFromComplaint(notice, evidence);
}
