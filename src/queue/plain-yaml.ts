/**
 * Reads the plain part of YAML that most manifests are written in, many times faster than a whole parser: maps and lists indented by
 * spaces, words, numbers and double-quoted strings, comments on lines of their own. Null for everything else, also for what may be
 * wrong: then the real reader says what it means. What this reads, the real reader reads alike.
 */
export function readPlainYaml(text: string): Record<string, unknown> | null {
	if (odd.test(text)) return null;
	const lines: Line[] = [];
	for (const line of text.split('\n')) {
		const content = line.trimStart();
		if (content === '' || content.startsWith('#')) continue;
		lines.push({ indent: line.length - content.length, content });
	}
	const reader = { lines, at: 0 };
	const map = lines[0]?.indent === 0 ? readMap(reader, 0) : null;
	return map !== null && reader.at === lines.length ? map : null;
}

/** Control characters, tabs, other line ends, and what a decoder puts in place of bad bytes. */
const odd = /[^\n\x20-\x7e\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffef]/;

interface Line {
	readonly indent: number;
	readonly content: string;
}

interface Reader {
	readonly lines: readonly Line[];
	at: number;
}

function readMap(reader: Reader, indent: number): Record<string, unknown> | null {
	const map: Record<string, unknown> = {};
	for (let line = reader.lines[reader.at]; line?.indent === indent; line = reader.lines[reader.at]) {
		const entry = /^([a-z_]{1,40}):(?: (.*))?$/.exec(line.content);
		if (entry === null || Object.hasOwn(map, entry[1]!)) return null;
		reader.at++;
		const value = entry[2] === undefined || entry[2] === '' ? readBelow(reader, indent) : scalar(entry[2]);
		if (value === undefined) return null;
		map[entry[1]!] = value;
	}
	return map;
}

function readBelow(reader: Reader, above: number): unknown {
	const first = reader.lines[reader.at];
	if (first === undefined || first.indent <= above) return undefined;
	const value = first.content.startsWith('- ') ? readList(reader, first.indent) : readMap(reader, first.indent);
	const next = reader.lines[reader.at];
	// Deeper than its parent and not one of its entries: a continued line.
	return value === null || (next !== undefined && next.indent > above) ? undefined : value;
}

function readList(reader: Reader, indent: number): unknown[] | null {
	const list: unknown[] = [];
	for (let line = reader.lines[reader.at]; line?.indent === indent; line = reader.lines[reader.at]) {
		if (!line.content.startsWith('- ')) return null;
		const value = scalar(line.content.slice(2));
		if (value === undefined) return null;
		list.push(value);
		reader.at++;
	}
	return list;
}

function scalar(written: string): unknown {
	if (written === '[]') return [];
	if (written.startsWith('"')) return quoted(written);
	if (written === 'true') return true;
	if (written === 'false') return false;
	if (/^(?:0|[1-9]\d{0,8})$/.test(written)) return Number(written);
	// Anything that could be a number, a word with a meaning, a mark, a key or a comment is left to the real reader.
	if (!/^[A-Za-z0-9_/][^\n]*$/.test(written) || /: |:$| #|\s$/.test(written)) return undefined;
	return looksLikeNumber.test(written) || words.test(written) ? undefined : written;
}

const looksLikeNumber = /^[0-9][0-9._eE+-]*$|^0[xo]/;
const words = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function quoted(written: string): string | undefined {
	try {
		const value: unknown = JSON.parse(written);
		return typeof value === 'string' && value !== '' ? value : undefined;
	} catch {
		return undefined;
	}
}
