import { join } from 'node:path';
import type { EventOf } from '../contract/event.ts';
import { sha256 } from '../contract/sha256.ts';
import { prepare, publish, publishLink, remove, sync, writeWhole } from '../packet/disk.ts';
import { readBytes } from '../packet/read.ts';
import { allowedCommands, readHandoff } from '../prompt/handoff.ts';
import type { Attempt } from './attempt.ts';
import type { RunContext } from './run-context.ts';

export type HandedOff = NonNullable<EventOf<'stage_finished'>['handoff']>;

/** Where a brief's own context pack is kept when its answer replaces it. */
export const keptContextPack = (ctx: Pick<RunContext, 'names'>, stage: string, attempt: number): string =>
	join(ctx.names.state, `context_pack.before.${stage}.${attempt}.md`);

/**
 * What a passed brief gives to the stages after it. Done again after a crash it changes nothing. All of it is on disk before the journal
 * says that the brief passed, since nobody would hand it on again; and the old pack's second name before its first is given away.
 */
export async function handOff(ctx: RunContext, { reserved }: Attempt, answer: string): Promise<HandedOff | null> {
	if (ctx.roles.roles[reserved.role]?.handoff !== 'context_pack') return null;
	const { contextPack, commands } = readHandoff(answer);
	if (contextPack === null) return null;
	ctx.lock.check();
	const text = contextPack.endsWith('\n') ? contextPack : `${contextPack}\n`;
	const hash = sha256(text);
	const old = readBytes(ctx.names.contextPack);
	if (old !== null && sha256(old) !== hash) {
		publishLink(keptContextPack(ctx, reserved.stage, reserved.attempt), ctx.names.contextPack);
	}
	const pack = prepare(ctx.names.contextPack, text, 0o600);
	await sync([ctx.names.state, pack.temp]);
	publish(pack);
	const own = ctx.manifest.acceptance?.commands ?? [];
	const { allowed, refused } = allowedCommands(commands, own, ctx.config.merged.dispatch.verify?.allow_commands ?? []);
	const isGiven = refused.length === 0 && allowed.length > 0;
	if (isGiven) writeWhole(ctx.names.override, `${allowed.join('\n')}\n`);
	else remove(ctx.names.override);
	await sync([ctx.names.inputs, ctx.names.state, ...(isGiven ? [ctx.names.override] : [])]);
	return { context_pack_sha256: hash, refused_commands: refused.map((command) => ctx.redact(command).text) };
}
