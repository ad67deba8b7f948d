import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AcceptanceResult } from '../contract/evidence.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { readAttachments } from './attachments.ts';
import { pathsOfDiff } from './diff-paths.ts';
import { type ForbiddenCheck, forbiddenCheck, forbiddenInDiff } from './forbidden.ts';
import { readInput } from './read-input.ts';
import { type Ground, resolveInput } from './resolve-input.ts';
import { acceptanceSource, gateReasonsSource, type Source, type SourceKind, textSource } from './source.ts';

export interface GatherAsk {
	/** Absolute paths; a packet's names fit. */
	readonly packet: { readonly dir: string; readonly contextPack: string; readonly userRequest: string; readonly attachments: string };
	/** The project's root, which forbidden paths are relative to. */
	readonly root: string;
	readonly forbiddenPaths: readonly string[];
	readonly outputs: readonly NeededOutput[];
	readonly lineage: readonly LineageText[];
	readonly acceptance: readonly AcceptanceResult[];
	readonly gateReasons: readonly string[];
}

/** What a needed stage left, as absolute paths. */
export interface NeededOutput {
	readonly stage: string;
	readonly tool: string;
	/** The answer. */
	readonly path: string;
	readonly patch?: string | null;
	readonly artifact?: string | null;
}

/** Something an earlier packet of the chain produced. */
export interface LineageText {
	readonly kind?: 'lineage';
	readonly path: string;
	readonly text: string;
}

/** Everything a prompt is made of, in the order it is shown; or `forbidden_input` with every reason, before anything is sent. */
export function gatherSources(ask: GatherAsk): Outcome<Source[], StageFailure> {
	const root = realpathSync.native(ask.root);
	const ground: Ground = { packet: realpathSync.native(ask.packet.dir), root, forbidden: forbiddenCheck(ask.forbiddenPaths, root) };
	const reasons: string[] = [];
	const inputs = [
		// Its label is its place in the packet, also where an older copy of it is read.
		...named('context_pack', 'inputs/context_pack.md', ask.packet.contextPack),
		...named('user_request', 'inputs/user_request.md', ask.packet.userRequest),
		...attachments(),
		...ask.outputs.flatMap(outputsOf),
		...ask.lineage.map(({ path, text }) => textSource('lineage', path, text)),
	];
	reasons.push(...inputs.flatMap((source) => diffReasons(source, ground.forbidden, ask.forbiddenPaths.length > 0)));
	if (reasons.length > 0) return fail({ class: 'forbidden_input', reasons });
	const results = ask.acceptance.length > 0 ? [acceptanceSource(ask.acceptance)] : [];
	const refused = ask.gateReasons.length > 0 ? [gateReasonsSource(ask.gateReasons)] : [];
	return pass([...inputs, ...results, ...refused]);

	function named(kind: SourceKind, label: string, file: string): Source[] {
		const resolved = resolveInput(file, label, ground);
		if (resolved.kind === 'refused') reasons.push(resolved.reason);
		if (resolved.kind === 'dangling') reasons.push(`${label} is a link that leads nowhere`);
		return resolved.kind === 'file' ? read(kind, label, resolved.real) : [];
	}

	function attachments(): Source[] {
		const found = readAttachments(ask.packet.attachments, 'inputs/attachments', ground);
		reasons.push(...found.reasons);
		return found.sources;
	}

	function outputsOf(output: NeededOutput): Source[] {
		const files = [output.path, output.artifact, output.patch].filter((file) => file !== null && file !== undefined);
		return files.flatMap((file) => read('stage_output', `outputs/${basename(file)}`, file));
	}

	function read(kind: SourceKind, label: string, file: string): Source[] {
		const input = readInput(kind, label, file);
		if (input.kind === 'source') return [input.source];
		reasons.push(`${label} ${input.reason}`);
		return [];
	}
}

/** An answer may quote a diff of anything; what a stage changed, and what a user or another packet handed in, is looked into. */
function diffReasons(source: Source, forbidden: ForbiddenCheck, anyForbidden: boolean): string[] {
	if (source.kind === 'stage_output' && !source.path.endsWith('.patch')) return [];
	const reasons = forbiddenInDiff(source.text, source.path, forbidden);
	// What lies in the gap of a very large diff was never looked at.
	if (reasons.length > 0 || source.gap === null || !anyForbidden || pathsOfDiff(source.text).length === 0) return reasons;
	return [`${source.path} is a diff of ${source.bytes} bytes, too large to be checked against security.forbidden_paths; split it`];
}
