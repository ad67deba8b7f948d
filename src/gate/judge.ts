import type { Evidence, GateResult } from '../contract/evidence.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { acceptanceFailure } from './acceptance.ts';
import { noticeInPlaceOfAnswer } from './answer-notice.ts';
import { changeFailure, proposalProblems } from './change.ts';
import { endedByUs, neverStarted, servantFailure } from './ending.ts';
import { countFindings } from './findings.ts';
import { outOfScope } from './scope.ts';
import { missingSections } from './sections.ts';
import { verdictOf } from './verdict.ts';

/**
 * Pass, or why not. The order is the order of trust: what we did ourselves, what the work tree shows, what the servant's events and
 * exit say, and only then what the answer says. The tree comes before the servant's own failures because those may be tried again, and
 * the next attempt would start from a tree that already holds the violation.
 */
export function judge(evidence: Evidence): GateResult {
	const { role, answer } = evidence;
	const read = {
		verdict: role.verdict ? verdictOf(answer).verdict : null,
		findings: role.verdict ? countFindings(answer) : null,
	};
	const failure =
		endedByUs(evidence) ??
		neverStarted(evidence) ??
		scopeFailure(evidence) ??
		servantFailure(evidence) ??
		noAnswer(evidence) ??
		(role.demands === 'acceptance' ? acceptanceFailure(evidence.acceptance, answer) : null) ??
		(role.demands === 'change' ? changeFailure(evidence) : null) ??
		contractFailure(evidence) ??
		(evidence.failOnHigh && countFindings(answer).high > 0 ? { class: 'review_failed' as const, high: countFindings(answer).high } : null);
	return failure === null ? { pass: true, ...read } : { pass: false, failure, ...read };
}

function scopeFailure({ changes, scope, role }: Evidence): StageFailure | null {
	const paths = outOfScope(changes ?? [], scope, role.access);
	return paths.length === 0 ? null : { class: 'scope_violation', paths, access: role.access };
}

function noAnswer(evidence: Evidence): StageFailure | null {
	if (evidence.answer.trim() === '') return { class: 'empty_output', reason: 'the servant ended well but its answer is empty' };
	return noticeInPlaceOfAnswer(evidence);
}

function contractFailure(evidence: Evidence): StageFailure | null {
	const { role, answer } = evidence;
	const reasons = missingSections(answer, role);
	const lines = answer.trim().split('\n').length;
	if (lines < role.min_lines) reasons.push(`the answer has ${lines} lines, at least ${role.min_lines} are needed`);
	if (role.demands === 'proposal') reasons.push(...proposalProblems(evidence));
	return reasons.length === 0 ? null : { class: 'contract_violation', reasons };
}
