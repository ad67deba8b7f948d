import type { DigestPolicy } from '../contract/words.ts';
import type { Block } from './boundary.ts';
import { digestContextPack, trimLog } from './digest.ts';
import { headOf, keepEndChars, keepEnds, tailOf } from './keep-ends.ts';
import { marginBytes, shownBytes } from './read-input.ts';
import type { Redacted, Redactor } from './redact.ts';
import type { Source } from './source.ts';

/** A source as it goes into the prompt, and what happened to it on the way. */
export interface Condensed {
	readonly source: Source;
	readonly block: Block;
	readonly redactions: number;
	readonly digested: boolean;
}

/** A context pack above this is digested under `auto`. */
const packBytes = 8000;
const tight = { over: 200, head: 100, tail: 100 };
const tightChars = 64 * 1024;

export function condense(source: Source, policy: DigestPolicy, redactor: Redactor): Condensed {
	const label = redactor(source.path);
	const redacted = redactParts(source, redactor);
	const digested = source.kind === 'context_pack' && (policy === 'aggressive' || (policy === 'auto' && source.bytes > packBytes));
	const text = digested ? digestContextPack(redacted.text) : shorten(source, redacted.text, policy);
	const isShorter = digested || text !== redacted.text || source.gap !== null;
	const note = source.note ?? (digested ? 'digest' : isShorter ? 'shortened' : null);
	const block = { kind: source.kind, path: label.text, note, text };
	return { source, block, redactions: label.count + redacted.count, digested };
}

/** Both sides of a gap on their own; next to it, a margin goes, in which half a secret may have been left. */
function redactParts({ text, gap }: Source, redactor: Redactor): Redacted {
	if (gap === null) return redactor(text);
	const [head, tail] = [redactor(text.slice(0, gap.at)), redactor(text.slice(gap.at))];
	const [first, last] = [headOf(head.text, head.text.length - marginBytes), tailOf(tail.text, tail.text.length - marginBytes)];
	const left = gap.bytes + 2 * marginBytes;
	return { text: `${first}\n[… about ${left} bytes left out …]\n${last}`, count: head.count + tail.count };
}

function shorten(source: Source, text: string, policy: DigestPolicy): string {
	const shown = isLog(source) ? trimLog(text) : text;
	if (policy === 'aggressive' && tightened.has(source.kind)) return keepEndChars(keepEnds(shown, tight), tightChars / 2, tightChars / 2);
	return keepEndChars(shown, shownBytes / 2, shownBytes / 2);
}

const tightened: ReadonlySet<string> = new Set(['attachment', 'stage_output', 'lineage']);

const isLog = ({ kind, path }: Source): boolean =>
	kind === 'acceptance' || (kind === 'attachment' && /(?:\.log|(?:^|\/)logs?\.txt)$/i.test(path));
