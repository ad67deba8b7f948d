import type { Complaint } from '../contract/complaint.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { Usage } from '../contract/meta.ts';
import type { Plan } from '../contract/plan.ts';
import type { Workspace } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState } from '../journal/packet-state.ts';

/** All that a summary says, before it is laid out. Texts are redacted; they may still hold anything a terminal should not see. */
export interface SummaryView {
	readonly taskId: string;
	readonly status: PacketStatus;
	readonly intent: string | null;
	readonly profile: string | null;
	readonly group: string | null;
	/** `slug: sentence` */
	readonly nextAction: string;
	readonly verdict: string | null;
	readonly updated: string;
	/** What happened, in one sentence. */
	readonly headline: string;
	readonly stages: readonly StageRow[];
	readonly budgets: BudgetsView | null;
	readonly steps: number | null;
	/** Turns of servants that still report them. */
	readonly turns: number | null;
	readonly usage: Usage;
	readonly workspace: { readonly branch: string; readonly path: string } | null;
	readonly warnings: readonly string[];
	readonly problems: readonly Complaint[];
	readonly failure: FailureView | null;
}

export interface StageRow {
	readonly name: string;
	readonly status: 'pending' | 'running' | 'waiting' | 'passed' | 'failed' | 'interrupted';
	readonly tool: string | null;
	readonly attempt: number;
	readonly durationSec: number | null;
	readonly exitCode: number | null;
	readonly steps: number | null;
	readonly costUsd: number | null;
	/** When the next attempt is due, of a stage that waits for that. */
	readonly waitingUntil: string | null;
	/** `passed`, the failure's class, or `-`. */
	readonly gate: string;
	readonly output: string | null;
}

export interface BudgetsView {
	readonly paidCalls: { readonly used: number; readonly allowed: number; readonly inDoubt: number };
	readonly cost: { readonly usedUsd: number | null; readonly allowedUsd: number | null; readonly unknownCalls: number };
	readonly retriesPerSignature: number;
	readonly wallclockSec: number;
}

export interface FailureView {
	readonly class: string;
	readonly signature: string;
	readonly stage: string;
	readonly tool: string | null;
	readonly attempt: number;
	readonly exitCode: number | null;
	readonly reason: string;
	/** Of any size. */
	readonly stderr: string;
	/** What else failed, each with what to do about it. */
	readonly others: readonly string[];
}

export interface SummarySource {
	readonly taskId: string;
	readonly plan: Plan | null;
	/** Used for intent and budgets while there is no plan. */
	readonly manifest: Manifest | null;
	readonly state: PacketState;
	readonly status: PacketStatus;
	readonly now: string;
	/** Of the last attempt of the stage whose failure is shown: whole, or head and tail of it. */
	readonly stderr?: string;
	readonly problems?: readonly Complaint[];
	/** Beyond the plan's own and those that the journal tells. */
	readonly warnings?: readonly string[];
	/** Stages whose inputs have changed since they passed. */
	readonly changedInputs?: readonly string[];
	readonly workspace?: Workspace | null;
	readonly redact?: (text: string) => string;
}
