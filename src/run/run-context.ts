import type { Config } from '../contract/config.ts';
import type { DispatchEvent } from '../contract/event.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { Plan, PlannedStage } from '../contract/plan.ts';
import type { Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import type { ProcessIdentity, Workspace } from '../contract/state-files.ts';
import type { Journal } from '../packet/journal-file.ts';
import type { Lock } from '../packet/lock.ts';
import type { PacketNames } from '../packet/names.ts';
import type { Starter } from '../process/starter.ts';
import type { Redactor } from '../prompt/redact.ts';
import type { LoadedRoles } from '../prompt/templates.ts';
import type { Barrier } from './barrier.ts';
import type { GuardedTree } from './guarded-tree.ts';
import type { Halt } from './halt.ts';
import type { Purse } from './purse.ts';
import type { Settle } from './settle.ts';

/** What one run knows and holds. Built once, in `run-packet.ts`; nothing in it changes but the journal. */
export interface RunContext {
	readonly names: PacketNames;
	readonly manifest: Manifest;
	readonly plan: Plan;
	readonly config: Config;
	readonly roles: LoadedRoles;
	readonly servantOf: (tool: string) => { readonly servant: Servant; readonly file: ServantFile };
	/** The same stage for another tool: model and effort are resolved anew. */
	readonly stageFor: (stage: PlannedStage, tool: string) => PlannedStage;
	readonly journal: Journal;
	readonly lock: Lock;
	readonly self: ProcessIdentity;
	readonly halt: Halt;
	readonly purse: Purse;
	readonly starter: Starter;
	readonly redact: Redactor;
	/** Where servants work, and whether git knows it. */
	readonly workspace: { readonly dir: string; readonly git: boolean; readonly facts: Workspace };
	readonly tree: GuardedTree;
	/** What the chain before this packet produced. */
	readonly lineage: readonly LineageText[];
	/** What was asked of the packet under review; null if this is no review. */
	readonly reviewed: AskedOf | null;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly now: () => Date;
	readonly random: () => number;
	/** Shown, but not kept: progress between the journal's lines. */
	readonly tell: (event: DispatchEvent) => void;
	/** The stage's first attempt whose work tree this run answers for: in a worktree of its own all of them, in place those of this run. */
	readonly firstAttempt: (stage: string) => number;
	readonly settle: Settle;
	readonly barrier: Barrier;
	readonly options: RunOptions;
}

export interface LineageText {
	readonly path: string;
	readonly text: string;
}

/** By what a change is judged. */
export type AskedOf = Pick<Manifest, 'scope' | 'acceptance'>;

export interface RunOptions {
	/** Wait for a rate limit however long it takes. */
	readonly wait: boolean;
	/** Continue the servant's own session where it has one. */
	readonly resume: boolean;
	readonly progressIntervalSec: number;
	readonly maxWaitSec: number;
	readonly version: string;
}

export const timeOf = (ctx: Pick<RunContext, 'now'>): string => ctx.now().toISOString();
