import { RE2JS } from 're2js';
import { tightenPattern } from './allow-pattern.ts';
import { type Heading, type Markdown, readMarkdown } from './markdown.ts';

/** What a passed brief hands on. */
export interface Handoff {
	/** New `context_pack.md`; null where the answer has none. */
	readonly contextPack: string | null;
	/** From the first code block under Verify Commands, in order. Not yet allowed to run. */
	readonly commands: readonly string[];
}

export function readHandoff(answer: string): Handoff {
	const markdown = readMarkdown(answer);
	return { contextPack: contextPackOf(markdown), commands: commandsOf(markdown) };
}

/** Sorts out which commands may run. Unless all may, none should: a check with a hole in it proves something else. */
export function allowedCommands(
	commands: readonly string[],
	manifestCommands: readonly string[],
	allowPatterns: readonly string[],
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
	const exact = new Set([...manifestCommands, ...allowPatterns].map((command) => command.trim()));
	const patterns = allowPatterns.flatMap(compiled);
	const isAllowed = (command: string): boolean => exact.has(command.trim()) || patterns.some((pattern) => pattern.matches(command));
	return { allowed: commands.filter(isAllowed), refused: commands.filter((command) => !isAllowed(command)) };
}

/** An entry that is no regular expression is an exact command only. */
function compiled(entry: string): RE2JS[] {
	const pattern = tightenPattern(entry);
	if (pattern === null) return [];
	try {
		return [RE2JS.compile(pattern)];
	} catch {
		return [];
	}
}

function contextPackOf({ lines, headings }: Markdown): string | null {
	const n = headings.findIndex((heading) => isCalled(heading, 'updated context pack'));
	const start = headings[n];
	if (start === undefined) return null;
	let numberedSeen = false;
	const next = headings.slice(n + 1).find((heading) => {
		numberedSeen ||= heading.numbered;
		// A title over the numbered sections (`# Context Pack`) belongs to the pack; after them it is something else.
		return !heading.numbered && (heading.level === start.level || (numberedSeen && heading.level <= Math.max(2, start.level)));
	});
	const text = lines
		.slice(start.line + 1, next?.line)
		.join('\n')
		.trim();
	return text === '' ? null : `${text}\n`;
}

function commandsOf({ lines, headings, fences }: Markdown): string[] {
	const n = headings.findIndex((heading) => isCalled(heading, 'verify commands'));
	const start = headings[n];
	if (start === undefined) return [];
	const end = headings.slice(n + 1).find((heading) => heading.level <= start.level)?.line ?? lines.length;
	const fence = fences.find(({ from }) => from > start.line && from <= end);
	if (fence === undefined) return [];
	const commands = lines.slice(fence.from, fence.to).map((line) => line.trim().replace(/^\$ +/, ''));
	return commands.filter((command) => command !== '' && !command.startsWith('#'));
}

const isCalled = (heading: Heading, title: string): boolean => heading.title.toLowerCase() === title;
