import { sha256 } from '../contract/sha256.ts';
import type { DigestPolicy } from '../contract/words.ts';
import type { Condensed } from './condense.ts';
import type { Template } from './templates.ts';

export interface ComposeFacts {
	readonly template: Template;
	readonly policy: DigestPolicy;
	readonly taskRedactions: number;
	readonly parts: readonly Condensed[];
	readonly prompt: string;
	readonly inputs_sha256: string;
}

/** One line per source. Labels come redacted, from the block; texts stay out. */
export function composeLog({ template, policy, taskRedactions, parts, prompt, inputs_sha256 }: ComposeFacts): string {
	const redactions = parts.reduce((sum, part) => sum + part.redactions, taskRedactions);
	return `${[
		`template ${template.path} sha256 ${template.sha256}`,
		`digest_policy ${policy}`,
		...parts.map(sayPart),
		`redactions ${redactions}`,
		`inputs_sha256 ${inputs_sha256}`,
		`prompt ${Buffer.byteLength(prompt)} bytes sha256 ${sha256(prompt)}`,
	].join('\n')}\n`;
}

function sayPart({ source, block, redactions }: Condensed): string {
	const sent = Buffer.byteLength(block.text);
	const note = block.note === null ? '' : ` (${block.note})`;
	return `${source.kind} ${JSON.stringify(block.path)} ${source.bytes} bytes, sent ${sent}${note}, redactions ${redactions}, sha256 ${source.sha256}`;
}
