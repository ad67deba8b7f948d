import { classFromText } from '../contract/complaint-text.ts';
import type { Evidence } from '../contract/evidence.ts';
import { never } from '../contract/outcome.ts';
import type { ServantComplaint } from '../contract/servant.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { failureFromComplaint } from './complaint-failure.ts';
import { oneLine } from './one-line.ts';

/** We know why we ended it; nothing the servant printed on its way out changes that. */
export function endedByUs({ ending, lost }: Evidence): StageFailure | null {
	if (ending === null) return lost ? { class: 'killed', reason: 'the wrapper died before it could record how the servant ended' } : null;
	switch (ending.why) {
		case 'timeout':
			return { class: 'timeout', limitSec: ending.limitSec };
		case 'max_steps':
			return { class: 'max_steps', limit: ending.limit, steps: ending.steps };
		case 'cost':
			return {
				class: 'budget_exhausted',
				reason: `cost ${usd(ending.costUsd)}, budget ${usd(ending.limitUsd)}`,
				budget: 'cost',
				spentUsd: ending.costUsd,
			};
		case 'output_limit':
			return { class: 'output_limit', limitMb: ending.limitMb };
		case 'interrupted':
			return { class: 'interrupted', reason: 'the run was interrupted' };
		default:
			return never(ending);
	}
}

/** The wrapper's shell is called `dispatch-<token>` and says so; a program that merely exits 127 was there. */
export function neverStarted({ exitCode, stderr, progress, tool, token }: Evidence): StageFailure | null {
	if (exitCode !== 126 && exitCode !== 127) return null;
	if (!stderr.startsWith(`dispatch-${token}:`) || progress.text !== '' || progress.final !== null || progress.sessionId !== null)
		return null;
	const said = oneLine(stderr.split('\n')[0] ?? '').replace(/^dispatch-[^:]*: (?:(?:line )?\d+: )?(?:exec: )?/, '');
	return { class: 'tool_missing', command: /^(.+?): [^:]+$/.exec(said)?.[1] ?? tool };
}

/** How the servant failed by its own events and exit, or null if it ended well. Text is asked last, and only text of its own. */
export function servantFailure(evidence: Evidence): StageFailure | null {
	const { progress, exitCode, signal, output } = evidence;
	const { complaint, final } = progress;
	if (exitCode === 0 && signal === null && (output === 'text' ? final !== 'error' : final === 'success')) {
		return complaint?.class === 'truncated' || complaint?.class === 'refusal' ? failureFromComplaint(complaint, evidence) : null;
	}
	if (signal !== null && final !== 'error') return { class: 'killed', reason: `the servant was ended by ${signal}` };
	const known = complaint === null ? null : failureFromComplaint(complaint, evidence);
	return known ?? fromOwnText(evidence) ?? { class: 'unknown', reason: unknownReason(evidence) };
}

/** What text may claim: never that we ended it, nor that a budget of ours is used up. */
const textMayClaim = new Set<ServantComplaint['class']>([
	'rate_limit',
	'quota',
	'auth',
	'provider_unavailable',
	'network',
	'prompt_too_large',
	'config_error',
]);

function fromOwnText(evidence: Evidence): StageFailure | null {
	const message = evidence.progress.complaint?.message ?? '';
	const refused = refusedCommandLine(evidence);
	if (refused !== null && classFromText(refused) === 'config_error') return { class: 'config_error', reason: oneLine(refused) };
	for (const text of [message, lastWords(evidence)]) {
		const claimed = text.trim() === '' ? null : classFromText(text);
		if (claimed === null || !textMayClaim.has(claimed)) continue;
		const bare = { message: text, status: null, retryAfterSec: null, resetAt: null };
		return failureFromComplaint({ ...(evidence.progress.complaint ?? bare), message: text, class: claimed }, evidence);
	}
	return null;
}

/** A CLI that refuses its command line says so first, and then how it is used. It has not seen the prompt, so it cannot be quoting it. */
function refusedCommandLine(evidence: Evidence): string | null {
	const { exitCode, progress } = evidence;
	if (exitCode === 0 || progress.text !== '' || progress.final !== null || progress.sessionId !== null) return null;
	const [first, second = ''] = ownLines(evidence);
	return first !== undefined && /^\s*usage: /i.test(second) ? first : null;
}

function lastWords(evidence: Evidence): string {
	return evidence.exitCode === 0 ? '' : ownLines(evidence).slice(-10).join('\n').slice(-8000);
}

/** Of stderr what the servant says itself. A CLI that logs its conversation there is quoting; and some greet whether they fail or not. */
function ownLines({ stderr, answer, prompt, noise }: Evidence): string[] {
	const quoted = new Set([answer, prompt].flatMap((text) => text.split('\n').map((line) => line.trim())));
	const isOwn = (line: string) => line !== '' && !quoted.has(line) && !noise.some((words) => line.startsWith(words));
	return stderr.split('\n').filter((line) => isOwn(line.trim()));
}

function unknownReason(evidence: Evidence): string {
	const { exitCode, progress } = evidence;
	const ended = exitCode === 0 ? 'ended without its own success event' : `exit ${exitCode ?? 'unknown'}`;
	const detail = progress.complaint?.message || ownLines(evidence).at(-1) || '';
	return detail.trim() === '' ? ended : `${ended}: ${oneLine(detail)}`;
}

const usd = (amount: number) => `${amount.toFixed(amount < 0.1 ? 4 : 2)} USD`;
