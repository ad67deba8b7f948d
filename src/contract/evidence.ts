import type { RoleContract } from './role.ts';
import type { Progress } from './servant.ts';
import type { StageFailure } from './stage-failure.ts';
import type { Verdict } from './words.ts';

/** One path that differs between servant start and servant end. Relative to the workspace, `/`-separated. */
export interface TreeChange {
	readonly path: string;
	readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'other';
	/** Where a symlink that was written leads, relative to the workspace (may start with `..`); null otherwise. */
	readonly target?: string | null;
	/** Only counts where scope.deny names it. */
	readonly ignored?: boolean;
	/** Never allowed, whatever the scope says (a manifest, the repository's own .git). */
	readonly protected?: boolean;
}

export interface AcceptanceResult {
	readonly command: string;
	readonly exitCode: number | null;
	readonly timedOut: boolean;
	readonly durationSec: number;
	/** Head and tail of the combined output, redacted. */
	readonly output: string;
}

/** Result of trying an answer's unified diff against the workspace. */
export type DiffCheck =
	| { readonly kind: 'none' }
	| { readonly kind: 'not_required' }
	| { readonly kind: 'applies'; readonly paths: readonly string[] }
	| { readonly kind: 'broken'; readonly reason: string };

/** Why we ended an attempt ourselves. Stronger than anything the servant says. */
export type Ending =
	| { readonly why: 'timeout'; readonly limitSec: number }
	| { readonly why: 'max_steps'; readonly limit: number; readonly steps: number }
	| { readonly why: 'cost'; readonly limitUsd: number; readonly costUsd: number }
	| { readonly why: 'output_limit'; readonly limitMb: number }
	| { readonly why: 'interrupted' };

/** Everything a gate may look at. Gathered by `run/`, judged by `gate/`. */
export interface Evidence {
	readonly stage: string;
	readonly tool: string;
	readonly role: RoleContract;
	readonly roleName: string;
	/** `jsonl` servants must have said success themselves; for `text` exit 0 is all there is. */
	readonly output: 'text' | 'jsonl';
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly ending: Ending | null;
	/** The stage's step budget, for a servant that stopped at it by itself. */
	readonly maxSteps?: number;
	/** The wrapper died without recording an exit. */
	readonly lost: boolean;
	readonly progress: Progress;
	/** The answer's text (very long ones: head and tail). */
	readonly answer: string;
	readonly stderr: string;
	/** Of the attempt: the wrapper's shell is called `dispatch-<token>`. */
	readonly token: string;
	/** What the servant was asked, for telling its own words from a quotation. Empty where it ended well: then nobody asks. */
	readonly prompt: string;
	/** How lines of its stderr begin that say nothing about a failure. */
	readonly noise: readonly string[];
	/** null: no tree to compare (outside git). */
	readonly changes: readonly TreeChange[] | null;
	/** Of these what came since the stage last passed: what it passed with before is no work of today. */
	readonly work: readonly TreeChange[] | null;
	readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] };
	readonly acceptance: readonly AcceptanceResult[];
	readonly diff: DiffCheck;
	/** With `fail_on: high`, in the last review stage only. */
	readonly failOnHigh: boolean;
	readonly now: string;
}

export type GateResult =
	| { readonly pass: true; readonly verdict: Verdict | null; readonly findings: Findings | null }
	| { readonly pass: false; readonly failure: StageFailure; readonly verdict: Verdict | null; readonly findings: Findings | null };

export interface Findings {
	readonly high: number;
	readonly medium: number;
	readonly low: number;
}
