import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { EventOf } from '../contract/event.ts';
import type { AcceptanceResult } from '../contract/evidence.ts';
import { Meta } from '../contract/meta.ts';
import type { Plan, PlannedStage } from '../contract/plan.ts';
import type { RoleContract, Roles } from '../contract/role.ts';
import { stageOf } from '../journal/packet-state.ts';
import { publishLink, remove, writeJson, writeWhole } from '../packet/disk.ts';
import type { Journal } from '../packet/journal-file.ts';
import { readMarker } from '../packet/marker.ts';
import type { PacketNames } from '../packet/names.ts';
import { readJson, readText, sizeOf } from '../packet/read.ts';
import { acceptanceArtifact } from './acceptance.ts';

/**
 * Brings journal and done markers together before a run goes on: a marker that a crash kept from being written is written, a valid marker
 * that the journal does not know (it was lost) is believed, one that the journal has overtaken is removed, and a stage whose answer is gone
 * is named, to be run again.
 */
export function settleDone(names: PacketNames, plan: Plan, roles: Roles, journal: Journal, now: string): { readonly lost: string[] } {
	const lost: string[] = [];
	for (const stage of plan.stages) {
		const state = stageOf(journal.state, stage.name);
		const marker = readMarker(names, stage.name);
		if (state.status === 'passed') {
			const whole = marker !== null && marker.attempt === state.attempt;
			if (state.meta !== null && !whole) redoFiles(names, state.meta, roles[stage.role]);
			if (state.meta !== null) publishMissing(names, stage.name, state.meta, !whole);
			if (!whole && !redoMarker(names, stage.name, state.meta, state.inputs_sha256)) lost.push(stage.name);
		} else if (marker !== null && state.attempt === 0) {
			journal.append(believed(names, stage, marker, now));
		} else if (state.attempt > 0 && state.open === null && (marker?.attempt ?? 0) <= state.attempt) {
			// It was to be run again, and a crash left the old marker.
			remove(names.marker(stage.name));
		}
	}
	return { lost };
}

/**
 * Without a marker the barrier before it may not have been reached: after a power cut what it was to make durable can be half there. The
 * answer is known by its hash; these can be made again.
 */
function redoFiles(names: PacketNames, meta: Meta, role: RoleContract | undefined): void {
	const own = names.attempt(meta.stage, meta.attempt);
	const answer = readText(own.out);
	if (answer === null) return;
	if (readJson(own.meta, Meta) === null) writeJson(own.meta, meta);
	if (!role?.artifact || answer.trim() === '') return;
	const acceptance = (readJson(own.acceptance, z.array(z.any())) ?? []) as AcceptanceResult[];
	const text = role.demands === 'acceptance' ? acceptanceArtifact(acceptance, answer) : answer;
	if (readText(own.artifact) !== text) writeWhole(own.artifact, text);
}

/** Names under which users know an attempt's files, and which a power cut took back. */
function publishMissing(names: PacketNames, stage: string, meta: Meta, anew: boolean): void {
	const own = names.attempt(stage, meta.attempt);
	const files: [string, string][] = [
		[names.prompt(stage), own.prompt],
		[names.output(stage, meta.tool, 'compose.log'), own.composeLog],
		[names.output(stage, meta.tool, 'out'), own.out],
		[names.output(stage, meta.tool, 'err'), own.err],
		[names.output(stage, meta.tool, 'meta.json'), own.meta],
		[names.output(stage, meta.tool, 'wrapper.log'), own.wrapperLog],
		[names.output(stage, meta.tool, 'stream.jsonl'), own.stream],
		[names.artifact(stage), own.artifact],
		[names.patch(stage), own.patch],
	];
	for (const [file, source] of files) if (existsSync(source) && (anew || !existsSync(file))) publishLink(file, source);
}

/** Everything but the marker is on disk: the tail of a collection that was cut short. */
function redoMarker(names: PacketNames, stage: string, meta: Meta | null, inputs: string | null): boolean {
	if (meta === null) return false;
	const own = names.attempt(stage, meta.attempt);
	const size = sizeOf(own.out);
	if (size === null || (meta.out_bytes !== null && size !== meta.out_bytes) || sizeOf(own.meta) === null) return false;
	publishLink(names.output(stage, meta.tool, 'out'), own.out);
	const marker = {
		schema: 1,
		stage,
		tool: meta.tool,
		attempt: meta.attempt,
		finished_at: meta.end,
		prompt_sha256: meta.prompt_sha256,
		inputs_sha256: inputs,
		out_sha256: meta.out_sha256,
	};
	writeWhole(names.marker(stage), `${JSON.stringify(marker)}\n`);
	return readMarker(names, stage) !== null;
}

function believed(
	names: PacketNames,
	stage: PlannedStage,
	marker: NonNullable<ReturnType<typeof readMarker>>,
	now: string,
): EventOf<'stage_finished'> {
	const known = readJson(names.output(stage.name, marker.tool, 'meta.json'), Meta);
	const meta: Meta = known ?? {
		schema: 1,
		stage: stage.name,
		tool: marker.tool,
		exit_code: null,
		start: null,
		end: marker.finished_at,
		duration_sec: null,
		prompt_sha256: marker.prompt_sha256,
		attempt: marker.attempt,
		role: stage.role,
		model: null,
		effort: null,
		signal: null,
		outcome: 'passed',
		signature: null,
		reason: null,
		num_steps_reported: null,
		num_steps_computed: null,
		num_turns_reported: null,
		usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null },
		cost_usd: null,
		cost_source: null,
		session_id: null,
		out_sha256: marker.out_sha256,
		out_bytes: null,
		prompt_bytes: null,
		adopted: false,
		verdict: null,
		fallback_from: null,
	};
	return {
		time: now,
		task_id: names.id,
		type: 'stage_finished',
		stage: stage.name,
		attempt: marker.attempt,
		provider: marker.tool,
		status: 'passed',
		decision: null,
		class: null,
		signature: null,
		reason: null,
		meta,
		verdict: null,
		findings: null,
		inputs_sha256: marker.inputs_sha256,
		handoff: null,
		next_action: null,
		run_again: [],
	};
}
