import type { AcceptanceResult } from '../contract/evidence.ts';
import { sha256 } from '../contract/sha256.ts';

export type SourceKind = 'context_pack' | 'user_request' | 'attachment' | 'stage_output' | 'lineage' | 'acceptance' | 'gate_reasons';

/** One thing that goes into a prompt, as it was found: not yet redacted, not yet shortened. */
export interface Source {
	readonly kind: SourceKind;
	/** Label shown to the servant and in the log; never a path that matters. */
	readonly path: string;
	readonly text: string;
	/** Size and hash of the original, however much of it `text` holds. */
	readonly bytes: number;
	readonly sha256: string;
	/** What a reader of the compose log should know: `binary, not inlined`. */
	readonly note: string | null;
	/** Where `text` leaves something out of a very large original. */
	readonly gap: Gap | null;
}

export interface Gap {
	/** Index into `text`. */
	readonly at: number;
	/** Bytes of the original that are missing there. */
	readonly bytes: number;
}

export function textSource(kind: SourceKind, path: string, text: string): Source {
	const bytes = Buffer.from(text, 'utf8');
	return { kind, path: visible(path), text: showNul(text), bytes: bytes.length, sha256: sha256(bytes), note: null, gap: null };
}

/** Durations stay out: equal results give equal prompts. */
export function acceptanceSource(results: readonly AcceptanceResult[]): Source {
	const blocks = results.map((r) => {
		const end = r.timedOut ? 'timed out' : r.exitCode === null ? 'was killed' : `exit ${r.exitCode}`;
		return `$ ${r.command}\n${r.output.replace(/\n$/, '')}\n[${end}]\n`;
	});
	return textSource('acceptance', 'acceptance results', blocks.join('\n'));
}

export function gateReasonsSource(reasons: readonly string[]): Source {
	return textSource('gate_reasons', 'gate', reasons.map((reason) => `- ${reason}\n`).join(''));
}

/** Names come from the file system: a newline or a direction override in one must not shape the prompt around it. */
export function visible(name: string): string {
	return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}

export const showNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\u2400') : text);
