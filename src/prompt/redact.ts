import { RE2JS } from 're2js';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { findBuiltInSecrets } from './built-in-secrets.ts';
import type { Span } from './span.ts';

/** Takes whole texts: a secret that is cut in two before it gets here is no secret any more. */
export type Redactor = (text: string) => Redacted;

export interface Redacted {
	readonly text: string;
	/** How many places were blanked. */
	readonly count: number;
}

export const redactionMark = '[REDACTED]';

/** Every pattern sees the text as it was written; what they found is blanked together. Failures name the pattern. */
export function makeRedactor(patterns: readonly string[]): Outcome<Redactor, string> {
	const compiled: RE2JS[] = [];
	const failures: string[] = [];
	for (const pattern of patterns) {
		try {
			compiled.push(RE2JS.compile(pattern));
		} catch (error) {
			failures.push(`"${pattern}" is not a regular expression in RE2 syntax: ${(error as Error).message}`);
		}
	}
	const [first, ...rest] = failures;
	if (first !== undefined) return fail(first, ...rest);
	return pass((text) => blank(text, [...findBuiltInSecrets(text), ...compiled.flatMap((pattern) => findAll(text, pattern))]));
}

/** For what is only shown: text for text, and none at all where a pattern does not compile. */
export function blanking(patterns: readonly string[] = []): (text: string) => string {
	const redactor = makeRedactor(patterns);
	return (text) => (redactor.ok ? redactor.value(text).text : '');
}

/** Those of a list that nobody has checked which can be used. */
export const usablePatterns = (list: unknown): string[] =>
	Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string' && one !== '' && makeRedactor([one]).ok) : [];

/** One search is linear, but a search for all can be quadratic (`a.*z|a` on many a's): past this, the rest of the text goes. */
const patienceMs = 2000;

function findAll(text: string, pattern: RE2JS): Span[] {
	const spans: Span[] = [];
	const matcher = pattern.matcher(text);
	const deadline = performance.now() + patienceMs;
	while (matcher.find()) {
		const [from, to] = [matcher.start(), matcher.end()];
		if (performance.now() > deadline) return [...spans, [from, text.length]];
		if (from === to || insideMark(text, from, to)) continue;
		const last = spans.at(-1);
		// A pattern for one character finds millions of neighbours.
		if (last?.[1] === from) spans[spans.length - 1] = [last[0], to];
		else spans.push([from, to]);
	}
	return spans;
}

/** So that redacting twice is redacting once, whatever the pattern. */
function insideMark(text: string, from: number, to: number): boolean {
	if (to - from > redactionMark.length) return false;
	const start = Math.max(0, to - redactionMark.length);
	const at = text.slice(start, from + redactionMark.length).indexOf(redactionMark);
	return at !== -1 && start + at <= from && to <= start + at + redactionMark.length;
}

function blank(text: string, spans: readonly Span[]): Redacted {
	if (spans.length === 0) return { text, count: 0 };
	const parts: string[] = [];
	let count = 0;
	let end = -1;
	for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
		if (from > end) {
			parts.push(text.slice(Math.max(0, end), from), redactionMark);
			count += 1;
		}
		end = Math.max(end, to);
	}
	parts.push(text.slice(end));
	return { text: parts.join(''), count };
}
