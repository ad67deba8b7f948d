import type { DispatchEvent } from '../contract/event.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { Plan } from '../contract/plan.ts';
import type { Workspace } from '../contract/state-files.ts';
import type { PacketStatus } from '../contract/words.ts';
import type { PacketState } from '../journal/packet-state.ts';
import type { DiskTrouble } from '../packet/disk.ts';
import type { Locked } from '../packet/lock.ts';
import type { PacketNames } from '../packet/names.ts';
import type { Starter } from '../process/starter.ts';
import type { HaltSwitch } from './halt.ts';
import type { OpenedPacket } from './open-packet.ts';
import type { Purse } from './purse.ts';
import type { AskedOf, LineageText } from './run-context.ts';

/** A run as it is ordered: what to run, how, and who listens. */
export interface RunOrder {
	readonly opened: OpenedPacket;
	/** Stages to run again on purpose: one and all that need it, or all. */
	readonly again: { readonly from: string } | 'all' | null;
	readonly resume: boolean;
	readonly wait: boolean;
	/** Several workers share a queue: not if another one ran this packet since it was opened. */
	readonly sole: boolean;
	readonly command: string;
	readonly version: string;
	readonly halt: HaltSwitch;
	readonly purse: Purse;
	readonly starter: Starter;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly now: () => Date;
	readonly random: () => number;
	/** Where the servants work; made if it must be. Called with the lock held. */
	readonly openWorkspace: (plan: Plan) => Promise<WorkPlace | NoPlace>;
	/** What the chain before this packet produced. */
	readonly lineage: () => Promise<readonly LineageText[]>;
	/** What was asked of the packet that this one reviews. */
	readonly reviewed: () => AskedOf | null;
	readonly listen: (event: DispatchEvent) => void;
	/** The text of the summary. */
	readonly summary: (standing: Standing) => string;
	/** `slug: sentence` for a state that is no stage's failure. */
	readonly nextAction: (standing: Standing) => string;
}

/** Why there is no place to work. `invalid` if the packet is to blame, else somebody must look at the machine. */
export interface NoPlace {
	readonly problem: string;
	readonly status: 'invalid' | 'needs_human' | 'interrupted';
	/** What mends it, as a person is told: `run git …`. Null where the problem says it all. */
	readonly fix: string | null;
}

export interface WorkPlace {
	readonly dir: string;
	readonly git: boolean;
	readonly facts: Workspace;
	readonly warnings: readonly string[];
}

/** All that a summary is made from. */
export interface Standing {
	readonly names: PacketNames;
	readonly manifest: Manifest;
	readonly plan: Plan;
	readonly state: PacketState;
	readonly status: PacketStatus;
	readonly warnings: readonly string[];
	readonly changedInputs: readonly string[];
	readonly workspace: Workspace | null;
	readonly redact: (text: string) => string;
	/** Why no stage could begin. */
	readonly problem: string | null;
}

export type RunEnd =
	| { readonly kind: 'finished'; readonly status: PacketStatus; readonly exitCode: number; readonly changedInputs?: readonly string[] }
	| { readonly kind: 'locked'; readonly locked: Locked }
	| ({ readonly kind: 'no_workspace'; readonly exitCode: number } & NoPlace)
	| { readonly kind: 'disk'; readonly trouble: DiskTrouble }
	| { readonly kind: 'lock_lost' }
	| { readonly kind: 'overtaken' }
	/** Told to leave: the wrappers live on. */
	| { readonly kind: 'left' }
	| { readonly kind: 'bug'; readonly error: unknown };
