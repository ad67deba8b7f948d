import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { EventOf } from '../contract/event.ts';
import type { AcceptanceResult } from '../contract/evidence.ts';
import { Meta } from '../contract/meta.ts';
import type { Plan, PlannedStage } from '../contract/plan.ts';
import type { RoleContract, Roles } from '../contract/role.ts';
import type { DoneMarker } from '../contract/state-files.ts';
import { stageOf } from '../journal/packet-state.ts';
import { othersBefore } from '../journal/totals.ts';
import { publishLink, remove, writeJson, writeWhole } from '../packet/disk.ts';
import type { Journal } from '../packet/journal-file.ts';
import { readMarker, writeMarker } from '../packet/marker.ts';
import type { PacketNames } from '../packet/names.ts';
import { publishedFiles, publishFiles, takeBack, takeBackOthers } from '../packet/published.ts';
import { readJson, readText, sizeOf } from '../packet/read.ts';
import { acceptanceArtifact } from './acceptance.ts';
import { emptyMeta } from './empty-meta.ts';

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
		const meta = state.meta && { ...state.meta, stage: stage.name };
		if (state.status === 'passed') {
			const whole = marker !== null && marker.attempt === state.attempt;
			if (meta !== null && !whole) redoFiles(names, meta, roles[stage.role]);
			if (meta !== null) publishMissing(names, meta, { anew: !whole, others: othersBefore(journal.state.metas, meta) });
			if (!whole && !redoMarker(names, meta, { inputs_sha256: state.inputs_sha256, finished_at: meta?.end ?? now })) lost.push(stage.name);
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
	if (readText(own.artifact) !== text) writeWhole(own.artifact, text, 0o600);
}

/** Names under which users know an attempt's files, and which a power cut took back. */
function publishMissing(names: PacketNames, meta: Meta, { anew, others }: { anew: boolean; others: readonly string[] }): void {
	const { whenReserved, whenCollected } = publishedFiles(names, meta);
	if (anew) {
		takeBack(whenCollected, meta.attempt);
		takeBackOthers(names, meta.stage, others);
	}
	publishFiles([...whenReserved, ...whenCollected].filter(({ name }) => anew || !existsSync(name)));
}

/** Everything but the marker is on disk: the tail of a collection that was cut short. */
function redoMarker(names: PacketNames, meta: Meta | null, marker: Pick<DoneMarker, 'inputs_sha256' | 'finished_at'>): boolean {
	if (meta === null) return false;
	const own = names.attempt(meta.stage, meta.attempt);
	const size = sizeOf(own.out);
	if (size === null || (meta.out_bytes !== null && size !== meta.out_bytes) || sizeOf(own.meta) === null) return false;
	publishLink(names.output(meta.stage, meta.tool, 'out'), own.out);
	writeMarker(names, meta, marker);
	return readMarker(names, meta.stage) !== null;
}

function believed(names: PacketNames, stage: PlannedStage, marker: DoneMarker, now: string): EventOf<'stage_finished'> {
	const known = readJson(names.output(stage.name, marker.tool, 'meta.json'), Meta);
	const meta: Meta = known ?? {
		...emptyMeta({ stage: stage.name, tool: marker.tool, attempt: marker.attempt, role: stage.role, outcome: 'passed' }),
		end: marker.finished_at,
		prompt_sha256: marker.prompt_sha256,
		out_sha256: marker.out_sha256,
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
