import type { ServantFile } from './servant-file.ts';
import { suggest } from './suggest.ts';

/** The efforts that the built-in servants take, over all their models; none: the program has no such setting. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
	claude: ['low', 'medium', 'high', 'xhigh', 'max'],
	codex: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
	copilot: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
	gemini: [],
	replay: [],
};

export interface EffortProblem {
	readonly level: 'error' | 'warning';
	readonly message: string;
}

/** What is wrong with an effort that is meant for a tool: a word it does not know, or any where it takes none. */
export function effortProblem(tool: string, file: ServantFile | undefined, effort: string | undefined): EffortProblem | null {
	const words = Object.hasOwn(builtIn, tool) ? builtIn[tool]! : wordsOfDescribed(file);
	if (!effort || words === null || words.includes(effort)) return null;
	if (words.length === 0) return { level: 'warning', message: `effort "${effort}" has no effect: ${tool} takes none` };
	const meant = suggest(effort, words);
	const help = meant === null ? '' : `did you mean "${meant}"? `;
	return { level: 'error', message: `${tool} knows no effort "${effort}"; ${help}allowed: ${words.join(', ')}` };
}

/** Which words its program knows is its own affair, if it is told at all. */
function wordsOfDescribed({ args = [], read_only_args = [], write_args = [], resume_args = [] }: ServantFile = {}): null | readonly [] {
	return [...args, ...read_only_args, ...write_args, ...resume_args].some((arg) => arg.includes('{effort}')) ? null : [];
}
