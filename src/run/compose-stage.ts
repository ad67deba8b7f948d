import type { EventOf } from '../contract/event.ts';
import type { AcceptanceResult } from '../contract/evidence.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { PlannedStage } from '../contract/plan.ts';
import { sha256 } from '../contract/sha256.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import type { DigestPolicy } from '../contract/words.ts';
import { type PacketState, stageOf } from '../journal/packet-state.ts';
import { sizeOf } from '../packet/read.ts';
import { neededBy } from '../plan/dependents.ts';
import { composePrompt, inputsHash } from '../prompt/compose.ts';
import { gatherSources, type NeededOutput } from '../prompt/gather.ts';
import type { PromptFacts } from '../prompt/render-template.ts';
import type { RunContext } from './run-context.ts';

export interface ComposedStage {
	readonly prompt: string;
	readonly prompt_sha256: string;
	readonly prompt_bytes: number;
	readonly inputs_sha256: string;
	readonly log: string;
	readonly digest: string | null;
	readonly acceptance: readonly AcceptanceResult[];
	readonly session: EventOf<'stage_reserved'>['session'];
}

export interface ComposeAsk {
	readonly stage: PlannedStage;
	readonly acceptance: readonly AcceptanceResult[];
	readonly gateReasons: readonly string[];
	readonly digestPolicy: DigestPolicy;
	readonly session: EventOf<'stage_reserved'>['session'];
}

/** What a prompt is made from: a run has it, and whoever only looks can have it too. */
export type ComposeContext = Pick<RunContext, 'names' | 'manifest' | 'plan' | 'roles' | 'servantOf' | 'redact' | 'lineage' | 'reviewed'> & {
	readonly journal: { readonly state: PacketState };
};

/** The prompt of a stage, redacted and ready to be written; or why it must not be sent. */
export function composeStage(ctx: ComposeContext, ask: ComposeAsk): Outcome<ComposedStage, StageFailure> {
	const { stage, session } = ask;
	const sources = sourcesFor(ctx, ask);
	if (!sources.ok) return sources;
	const composed = composePrompt({
		template: ctx.roles.template(stage.role, stage.tool),
		manifestFacts: factsOf(ctx, stage),
		sources: sources.value,
		isContinued: session !== null,
		digestPolicy: ask.digestPolicy,
		redactor: ctx.redact,
	});
	const bytes = Buffer.from(composed.prompt);
	const most = ctx.servantOf(stage.tool).servant.maxPromptBytes;
	if (most !== null && bytes.length > most) {
		return fail({ class: 'prompt_too_large', reason: `the prompt has ${bytes.length} bytes; ${stage.tool} takes at most ${most}` });
	}
	return pass({
		prompt: composed.prompt,
		prompt_sha256: sha256(bytes),
		prompt_bytes: bytes.length,
		inputs_sha256: composed.inputs_sha256,
		log: composed.log,
		digest: composed.digest,
		acceptance: ask.acceptance,
		session,
	});
}

/** The hash of what goes into a stage now. `contextPack`: another file in its place, what a brief read before it rewrote it. */
export function inputsOf(ctx: ComposeContext, stage: PlannedStage, contextPack: string): Outcome<string, StageFailure> {
	const sources = sourcesFor(ctx, { stage, acceptance: [], gateReasons: [] }, contextPack);
	if (!sources.ok) return sources;
	const template = ctx.roles.template(stage.role, stage.tool);
	return pass(inputsHash({ template, manifestFacts: factsOf(ctx, stage), sources: sources.value }));
}

function sourcesFor(
	ctx: ComposeContext,
	{ stage, acceptance, gateReasons }: Pick<ComposeAsk, 'stage' | 'acceptance' | 'gateReasons'>,
	contextPack = ctx.names.contextPack,
) {
	return gatherSources({
		packet: { ...ctx.names, contextPack },
		root: ctx.names.root,
		forbiddenPaths: ctx.manifest.security?.forbidden_paths ?? [],
		outputs: outputsFor(ctx, stage),
		lineage: ctx.lineage,
		acceptance,
		gateReasons,
	});
}

/** A review that does not say by what to judge takes it from the packet under review; commands are run for their own packet only. */
function factsOf({ manifest, names, reviewed }: ComposeContext, stage: PlannedStage): PromptFacts {
	const { allow = [], deny = [] } = manifest.scope ?? reviewed?.scope ?? {};
	return {
		task_id: names.id,
		goal: manifest.goal,
		stage: stage.name,
		scope: { allow, deny },
		acceptance: {
			commands: manifest.acceptance?.commands ?? [],
			criteria: manifest.acceptance?.criteria ?? reviewed?.acceptance?.criteria ?? [],
		},
	};
}

/** Answers of the stages it needs; of all writing stages before it also what they changed. */
function outputsFor(ctx: ComposeContext, stage: PlannedStage): NeededOutput[] {
	const before = neededBy(ctx.plan, stage.name);
	return ctx.plan.stages
		.filter((other) => before.has(other.name) && (stage.needs.includes(other.name) || other.access === 'write'))
		.map((other) => {
			const tool = stageOf(ctx.journal.state, other.name).tool ?? other.tool;
			const patch = ctx.names.patch(other.name);
			return {
				stage: other.name,
				tool,
				path: ctx.names.output(other.name, tool, 'out'),
				patch: other.access === 'write' && sizeOf(patch) !== null ? patch : null,
				artifact: null,
			};
		});
}
