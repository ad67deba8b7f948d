import type { RoleContract } from '../contract/role.ts';
import { longestLine, proseLines } from './prose-lines.ts';

export interface Heading {
	readonly level: number;
	/** Without marks, number and colon, in lower case. */
	readonly title: string;
	/** `0` of `## 0. Goal`. */
	readonly number: string | null;
	/** Zero-based line. */
	readonly line: number;
}

/** The real headings of a Markdown text: ATX and setext, none of those quoted in code. */
export function headings(markdown: string): Heading[] {
	const found: Heading[] = [];
	const lines = proseLines(markdown);
	for (const [index, { text, code }] of lines.entries()) {
		if (code || text.length > longestLine) continue;
		const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(text);
		if (atx !== null) {
			const title = (atx[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '');
			found.push({ level: atx[1]?.length ?? 1, ...named(title), line: index });
			continue;
		}
		const before = lines[index - 1];
		const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(text)?.[1];
		if (underline !== undefined && before !== undefined && !before.code && before.text.length <= longestLine && isParagraph(before.text)) {
			found.push({ level: underline.startsWith('=') ? 1 : 2, ...named(before.text), line: index - 1 });
		}
	}
	return found;
}

/** Every required heading that the answer lacks, as sentences. */
export function missingSections(answer: string, contract: Pick<RoleContract, 'sections' | 'subsections'>): string[] {
	const all = headings(answer);
	const owned = new Set<Heading>();
	const missing: string[] = [];
	for (const [parent, wanted] of Object.entries(contract.subsections)) {
		const block = blockUnder(all, parent);
		for (const heading of block) owned.add(heading);
		if (!all.some((heading) => matches(heading, parent))) continue;
		for (const name of wanted) {
			if (!block.some((heading) => matches(heading, name))) missing.push(`missing section "${name}" under "${parent}"`);
		}
	}
	// `3. Acceptance` inside a context pack must not pass for the answer's own `Acceptance`.
	const own = all.filter((heading) => !owned.has(heading));
	const absent = contract.sections.filter((name) => !own.some((heading) => matches(heading, name)));
	return [...absent.map((name) => `missing section "${name}"`), ...missing];
}

/** A block ends at the next unnumbered heading of its own level or above: a context pack's parts are numbered and may stand beside their parent. */
function blockUnder(all: readonly Heading[], parent: string): readonly Heading[] {
	const start = all.findIndex((heading) => matches(heading, parent));
	const head = all[start];
	if (head === undefined) return [];
	const end = all.findIndex((heading, index) => index > start && heading.level <= head.level && heading.number === null);
	return all.slice(start + 1, end === -1 ? undefined : end);
}

/** A name with a number wants that number; one without takes any. */
function matches(heading: Heading, name: string): boolean {
	const wanted = named(name);
	return heading.title === wanted.title && (wanted.number === null || heading.number === wanted.number);
}

function named(raw: string): { title: string; number: string | null } {
	const plain = raw
		.replace(/[*`]|__|^_+|_+$/g, '')
		.replace(/^[^\p{L}\p{N}]+/u, '')
		.trim();
	const parts = /^(\d+(?:\.\d+)*)(?:[.)]\s*|\s+[-–—:]?\s*)(?=\p{L})(.*)$/u.exec(plain);
	const title = (parts?.[2] ?? plain)
		.replace(/[\s:：.]+$/, '')
		.replace(/\s*\/\s*/g, '/')
		.replace(/\s+/g, ' ')
		.toLowerCase();
	return { title, number: parts?.[1] ?? null };
}

const isParagraph = (text: string) => /^ {0,3}\S/.test(text) && !/^ {0,3}(?:#{1,6}\s|>|[-*+]\s|\d+[.)]\s|\||[-=]+\s*$)/.test(text);
