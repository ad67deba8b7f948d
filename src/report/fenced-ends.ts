import { cut } from './columns.ts';
import { visible } from './visible.ts';

const mostAtEachEnd = 20;

/**
 * Head 20 + tail 20 lines of a text in a fence that its content cannot close, in at most `room` lines;
 * nothing if that is too little to be of use.
 */
export function fencedEnds(text: string, room: number, columns: number): string[] {
	const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
	const space = Math.min(room - 4, 2 * mostAtEachEnd + 1);
	if (space < 3 || text.trim() === '') return [];
	const chosen = lines.length <= Math.min(space, 2 * mostAtEachEnd) ? lines : headAndTail(lines, space);
	// Room for a fence one longer than the longest run of backticks.
	const shown = chosen.map((line) => cut(visible(line.slice(0, 4 * columns)).trimEnd(), columns - 4));
	const longest = Math.max(2, ...shown.map((line) => /^ {0,3}(`*)/.exec(line)![1]!.length));
	const fence = '`'.repeat(longest + 1);
	const what = chosen === lines ? 'stderr:' : `stderr (${counts(space)}):`;
	return [what, '', fence, ...shown, fence];
}

function headAndTail(lines: readonly string[], space: number): string[] {
	const { head, tail } = shares(space);
	return [...lines.slice(0, head), '… left out …', ...lines.slice(-tail)];
}

function counts(space: number): string {
	const { head, tail } = shares(space);
	return `first ${head} and last ${tail} lines`;
}

function shares(space: number): { head: number; tail: number } {
	const head = Math.min(mostAtEachEnd, Math.floor((space - 1) / 2));
	return { head, tail: Math.min(mostAtEachEnd, space - 1 - head) };
}
