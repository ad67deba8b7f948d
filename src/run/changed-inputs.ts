import { sha256 } from '../contract/sha256.ts';
import { stageOf } from '../journal/packet-state.ts';
import { readBytes, sizeOf } from '../packet/read.ts';
import { type ComposeContext, inputsOf } from './compose-stage.ts';
import { keptContextPack } from './hand-off.ts';

/** Done stages whose inputs are no longer what they were. They are not paid again for that, but it is said. */
export function changedInputs(ctx: ComposeContext): string[] {
	return ctx.plan.stages
		.filter((stage) => {
			const { status, inputs_sha256, tool, attempt, handoff } = stageOf(ctx.journal.state, stage.name);
			if (status !== 'passed' || inputs_sha256 === null) return false;
			const contextPack = contextPackThen(ctx, stage.name, attempt, handoff?.context_pack_sha256 ?? null);
			const now = inputsOf(ctx, { ...stage, tool: tool ?? stage.tool }, contextPack);
			return !now.ok || now.value !== inputs_sha256;
		})
		.map((stage) => stage.name);
}

/** A brief replaced the context pack it had read: unless somebody changed the new one, the old one is what counts for it. */
function contextPackThen(ctx: ComposeContext, stage: string, attempt: number, written: string | null): string {
	if (written === null) return ctx.names.contextPack;
	const current = readBytes(ctx.names.contextPack);
	const untouched = current !== null && sha256(current) === written;
	const kept = keptContextPack(ctx, stage, attempt);
	if (!untouched) return ctx.names.contextPack;
	return sizeOf(kept) === null ? `${kept}.none` : kept;
}
