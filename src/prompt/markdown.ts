/** As much of Markdown as headings and fences need. Nothing inside a fence is a heading. */
export interface Markdown {
	readonly lines: readonly string[];
	readonly headings: readonly Heading[];
	readonly fences: readonly Fence[];
}

export interface Heading {
	/** Index into `lines`. */
	readonly line: number;
	readonly level: number;
	/** Without numbering, emphasis and a closing colon. */
	readonly title: string;
	/** `## 3. Acceptance` */
	readonly numbered: boolean;
}

/** A fenced block's content is `lines[from..to)`. */
export interface Fence {
	readonly from: number;
	readonly to: number;
}

export function readMarkdown(text: string): Markdown {
	const lines = text.split(/\r?\n/);
	const headings: Heading[] = [];
	const fences: Fence[] = [];
	let open: { from: number; mark: string } | null = null;
	lines.forEach((line, index) => {
		if (open !== null) {
			if (!closes(line, open.mark)) return;
			fences.push({ from: open.from, to: index });
			open = null;
			return;
		}
		const mark = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
		if (mark !== undefined) open = { from: index + 1, mark };
		else {
			const heading = readHeading(line, index);
			if (heading) headings.push(heading);
		}
	});
	const last = open as { from: number } | null;
	if (last !== null) fences.push({ from: last.from, to: lines.length });
	return { lines, headings, fences };
}

function closes(line: string, mark: string): boolean {
	const bare = line.trim();
	return bare.length >= mark.length && bare === mark[0]!.repeat(bare.length);
}

function readHeading(line: string, index: number): Heading | null {
	const found = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line);
	if (!found) return null;
	const written = found[2]!.replaceAll(/[*_`]/g, '').trim();
	const unclosed = written.replace(/(?<![ \t#])[ \t]+#+$/, '');
	const title = unclosed.replace(/^\d+[.)][ \t]*/, '');
	return { line: index, level: found[1]!.length, title: title.replace(/:$/, '').trim(), numbered: title !== unclosed };
}
