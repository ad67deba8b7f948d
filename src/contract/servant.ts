import type { Usage } from './meta.ts';
import type { Access } from './words.ts';

/** What a servant is asked to do, as far as its command line is concerned. */
export interface Ask {
	readonly model: string | null;
	readonly effort: string | null;
	readonly access: Access;
	readonly maxSteps: number;
	/** Id of the servant's own session to continue, or null. */
	readonly session: string | null;
	/** Absolute. */
	readonly workdir: string;
	readonly promptFile: string;
	/** A private directory of the attempt for files the CLI wants (usage files, settings). Exists. */
	readonly scratch: string;
	/** Random UUID for CLIs that let us choose the session id. */
	readonly sessionId: string;
	/** Whether HOME of the attempt is the user's (always, today): servants may not assume a login. */
	readonly wrapper: { readonly approvalMode: string | null; readonly sandbox: boolean };
	/** For servants whose answer depends on who asks (a replay looks its recording up by them). */
	readonly stage?: string;
	readonly role?: string;
}

export interface Invocation {
	readonly command: string;
	readonly args: readonly string[];
	/** Variables set for the servant on top of what it may see. */
	readonly env: Readonly<Record<string, string>>;
	readonly prompt: 'stdin' | 'file';
	/** `jsonl`: stdout is an event stream; `text`: stdout is the answer. */
	readonly output: 'text' | 'jsonl';
	/** Files to write (mode 0600) before starting: absolute path → content. Only below `scratch`. */
	readonly files: Readonly<Record<string, string>>;
}

/** What one event of a stream says. A reader yields any number of them per event. */
export type Reading =
	/** One more step; with an id, only if that id has not been seen. */
	| { readonly kind: 'step'; readonly id?: string }
	| { readonly kind: 'steps_reported'; readonly steps: number }
	| { readonly kind: 'turns_reported'; readonly turns: number }
	/**
	 * `add` to what is known, or replace the `total`. With an id, the same id replaces its earlier value.
	 * `billed` is what prices apply to (input with cached, output with thoughts) where the servant lists it otherwise.
	 */
	| { readonly kind: 'usage'; readonly mode: 'add' | 'total'; readonly usage: Usage; readonly id?: string; readonly billed?: Usage }
	| { readonly kind: 'cost'; readonly mode: 'add' | 'total'; readonly usd: number }
	| { readonly kind: 'session'; readonly id: string }
	/** Part of the answer: `append` to it, or be all of it (`replace`). `replace` with '' starts anew. */
	| { readonly kind: 'text'; readonly mode: 'append' | 'replace'; readonly text: string }
	/** Something went wrong, in the servant's words. `final: false` = it is still trying. */
	| { readonly kind: 'complaint'; readonly complaint: ServantComplaint; readonly final: boolean }
	/** The servant's own last word. */
	| { readonly kind: 'final'; readonly success: boolean };

export interface ServantComplaint {
	/** What the structured event says about it; null = only text is known. */
	readonly class:
		| 'rate_limit'
		| 'quota'
		| 'auth'
		| 'provider_unavailable'
		| 'network'
		| 'prompt_too_large'
		| 'config_error'
		| 'refusal'
		| 'max_steps'
		| 'truncated'
		| 'budget'
		| 'interrupted'
		/** It asked, and the model said nothing. */
		| 'empty'
		| null;
	readonly message: string;
	readonly status: number | null;
	/** When it may be tried again: seconds from now, or an absolute ISO time. */
	readonly retryAfterSec: number | null;
	readonly resetAt: string | null;
}

export interface Servant {
	readonly tool: string;
	readonly paid: boolean;
	/** Prompt size above which the CLI is known to refuse; null = no known limit. */
	readonly maxPromptBytes: number | null;
	/** Names of variables it may see by default (keys, base URLs, its own state directory). */
	readonly env: readonly string[];
	/** Whether usage of a resumed session includes what earlier runs of it used. */
	readonly cumulativeOnResume: boolean;
	readonly canResume: boolean;
	/** Its session has the id we gave it (`Ask.sessionId`), known even if it is ended before it says so. Default false. */
	readonly choosesSession?: boolean;
	/** false: its events do not tell steps, so they stay unknown. Default true. */
	readonly countsSteps?: boolean;
	readonly invocation: (ask: Ask) => Invocation;
	/** One parsed event of the stream (never called for `text` output). Must not throw on any JSON value. */
	readonly read: (event: unknown) => readonly Reading[];
	/** Readings from what lies beside the stream when the process has ended (a usage file in `scratch`, an exit code with a meaning). */
	readonly after?: (end: AfterEnd) => readonly Reading[];
	/** Beginnings of what it prints to stderr whether it fails or not. */
	readonly noise?: readonly string[];
	/** What `dispatch doctor` needs. */
	readonly care: ServantCare;
}

export interface AfterEnd {
	readonly exitCode: number | null;
	/** Up to 64 KiB from the end of stderr. */
	readonly stderr: string;
	/** Content of a file below `scratch` by its name, or null. */
	readonly scratchFile: (name: string) => string | null;
}

export interface ServantCare {
	readonly versionArgs: readonly string[];
	/** Versions whose streams were measured, as prefixes (`2.1.`). */
	readonly knownVersions: readonly string[];
	/** The command that installs its program; null: only a servant file knows the program. */
	readonly install: string | null;
	/** The command that logs in to it; null: it has none, or only its own documentation knows. */
	readonly login: string | null;
	/** Ways a login can be seen without paying: a variable that is set or a file below HOME (or below the variable's directory). */
	readonly loginSigns: readonly ({ readonly variable: string } | { readonly file: string; readonly below?: string })[];
}

/** What following a stream has told so far. Folded from readings by `servant/progress.ts`. */
export interface Progress {
	readonly stepsComputed: number | null;
	readonly stepsReported: number | null;
	readonly turnsReported: number | null;
	readonly usage: Usage;
	readonly costUsd: number | null;
	/** What it had cost before its success event, or all of it: by then a budget binds, however fast the events came. */
	readonly costBeforeSuccessUsd: number | null;
	readonly costSource: 'reported' | 'computed' | null;
	readonly sessionId: string | null;
	readonly text: string;
	/** The last complaint that stands: a final one, else one that was never followed by progress. */
	readonly complaint: ServantComplaint | null;
	readonly final: 'success' | 'error' | null;
}
