import type { RealTool } from './pins.ts';
import type { Request } from './real-rig.ts';

/** What is particular to a servant among what all of them must do. */
export interface Expected {
	/** Steps of an answer; of one command and an answer. */
	readonly steps: { readonly answer: number; readonly tool: number };
	/** Its tool for writing files; null: a shell command does it. */
	readonly editTool: string | null;
	/** Class of an answer whose stream breaks off. */
	readonly cut: string;
	/** How a prompt of five megabytes ends. */
	readonly fiveMegabytes: 'passed' | 'prompt_too_large';
	/** What a packet with a large prompt must say, where the default model's window is too small for it. */
	readonly largePrompts?: object;
	/** Seconds within which it has asked its model, also where others run beside it. */
	readonly slowestStartSec?: number;
	/** Its read-only mode lets shell commands through: what they write is found afterwards. */
	readonly mayWriteWhenReading?: boolean;
	/** No event, and so no session, before the first answer. */
	readonly silentUntilAnswer?: boolean;
	/** Requests that the servant does not report. */
	readonly unreported?: (request: Request) => boolean;
	/** Scenarios that are not run, and why. */
	readonly skip?: Readonly<Record<string, string>>;
}

const patience = 'it tries again by itself for more than a minute, and that cannot be set';

export const expectedOf: Readonly<Record<RealTool, Expected>> = {
	claude: { steps: { answer: 1, tool: 2 }, editTool: 'Write', cut: 'network', fiveMegabytes: 'passed', largePrompts: { model: 'opus' } },
	codex: { steps: { answer: 1, tool: 2 }, editTool: null, cut: 'network', fiveMegabytes: 'prompt_too_large' },
	gemini: { steps: { answer: 0, tool: 1 }, editTool: 'write_file', cut: 'network', fiveMegabytes: 'prompt_too_large', slowestStartSec: 12 },
	copilot: { steps: { answer: 1, tool: 2 }, editTool: 'create', cut: 'network', fiveMegabytes: 'passed' },
	opencode: {
		steps: { answer: 1, tool: 2 },
		editTool: 'write',
		cut: 'network',
		fiveMegabytes: 'passed',
		slowestStartSec: 15,
		mayWriteWhenReading: true,
		silentUntilAnswer: true,
		// It has a title made, by a request without tools.
		unreported: ({ tools }) => tools === 0,
		skip: { 500: patience, quota: patience, 'cut stream': patience },
	},
};
