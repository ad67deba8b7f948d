import { sha256 } from '../contract/sha256.ts';
import type { FailureClass } from '../contract/stage-failure.ts';

export interface Fault {
	readonly class: FailureClass;
	readonly stage: string;
	readonly tool: string;
	/** `exit 1`, `SIGKILL`, `ended by us`: see `exitKindOf`. */
	readonly exitKind: string;
	readonly reason: string;
	/** Speaks only where there is no reason. */
	readonly stderr: string;
}

/** The same fault has the same signature, wherever and whenever it happens: 16 hex digits. */
export function signatureOf({ class: kind, stage, tool, exitKind, reason, stderr }: Fault): string {
	const text = normalise(reason.trim() === '' ? stderr.slice(-8000) : reason);
	return sha256([kind, stage, tool, exitKind, text].join('\0')).slice(0, 16);
}

export function exitKindOf(end: { exitCode: number | null; signal: string | null; ending: object | null }): string {
	if (end.ending !== null) return 'ended by us';
	if (end.signal !== null) return end.signal;
	return end.exitCode === null ? 'no exit' : `exit ${end.exitCode}`;
}

/**
 * What differs between two happenings of one fault, from the most special to the plainest: each rule sees only what the earlier ones
 * left. Ids and numbers get one word, as an id may consist of digits.
 */
const rules: readonly (readonly [RegExp, string])[] = [
	[/\x1b\[[0-9;?]*[A-Za-z]/g, ''],
	[/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]+/gi, '<url>'],
	[/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<n>'],
	[/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
	[/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?/gi, '<time>'],
	[/\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s+(?=<time>|\d|[a-z]{3}\b)/gi, ''],
	[/\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?\b/gi, '<time>'],
	[/(?<![\w<])(?:[A-Za-z]:\\|~\/|\.{0,2}\/)[^\s"'`:;,()<>]+/g, '<path>'],
	[/(?<![\w<.@-])[\w.@-]+(?:\/[\w.@+-]+)+/g, '<path>'],
	[/\b[\w-]{1,80}\.(?:[cm]?[jt]sx?|json|ya?ml|md|py|go|rs|rb|java|sh|log|txt|diff|patch|lock|tmp|toml)\b/gi, '<path>'],
	[/\b(?=\w*\d)(?:[a-z]{2,12}[-_])+[\w-]{6,200}/gi, '<n>'],
	[/\b(?=[a-z]*\d)[0-9a-f]{7,200}\b/gi, '<n>'],
	[/\b(?=\w*\d)(?=\w*[A-Za-z])[\w+/=-]{16,500}/g, '<n>'],
	[/\d+(?:[.,]\d+)*/g, '<n>'],
	[/\s+/g, ' '],
];

export function normalise(text: string): string {
	let left = text;
	for (const [pattern, put] of rules) left = left.replace(pattern, put);
	return left.trim().slice(0, 2000);
}
