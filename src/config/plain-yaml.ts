import type { YamlPath } from './yaml-node.ts';
import type { Place } from './yaml-reading.ts';

/** Where each key and value of a plain text stands. */
type Mark = (path: YamlPath, key: Place, value: Place) => void;

/**
 * Reads the plain part of YAML that most files are written in, many times faster than a whole parser: maps and lists indented by spaces,
 * lists and maps of words on one line, words, numbers and quoted strings, comments. Null for everything else, also for what may be
 * wrong: then the real reader says what it means. What this reads, the real reader reads alike.
 */
export function readPlainYaml(text: string, mark: Mark | null = null): Record<string, unknown> | null {
	if (odd.test(text)) return null;
	const lines: Line[] = [];
	let number = 0;
	for (const line of text.split('\n')) {
		number++;
		const content = line.trimStart();
		if (content !== '' && !content.startsWith('#')) lines.push({ number, indent: line.length - content.length, content });
	}
	const reader: Reader = { lines, at: 0, path: [], mark };
	if (lines.length === 0) return Object.create(null);
	const map = lines[0]?.indent === 0 ? readMap(reader, 0) : null;
	return map !== null && reader.at === lines.length ? map : null;
}

/** Where the key or value of a path stands in a text that was read; where it does not stand, its nearest parent. */
export function plainPlaces(text: string): (path: YamlPath, what: 'key' | 'value') => Place & { readonly found: boolean } {
	const places = new Map<string, { readonly key: Place; readonly value: Place }>();
	const name = (path: YamlPath) => path.join('\0');
	readPlainYaml(text, (path, key, value) => places.set(name(path), { key, value }));
	return (path, what) => {
		for (let depth = path.length; depth > 0; depth--) {
			const known = places.get(name(path.slice(0, depth)));
			if (known !== undefined) return { ...known[what], found: depth === path.length };
		}
		return { line: 1, col: 1, found: path.length === 0 };
	};
}

/** Control characters, tabs, other line ends, and what a decoder puts in place of bad bytes. */
const odd = /[^\n\x20-\x7e\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffef]/;

interface Line {
	readonly number: number;
	readonly indent: number;
	readonly content: string;
}

interface Reader {
	readonly lines: readonly Line[];
	at: number;
	readonly path: (string | number)[];
	readonly mark: Mark | null;
}

const key = '[A-Za-z_][A-Za-z0-9_.-]{0,60}';
const entryLine = new RegExp(`^(${key}):(?:( +)(.*))?$`);
const inlineEntry = new RegExp(`^(${key}): +(.*)$`);

function readMap(reader: Reader, indent: number): Record<string, unknown> | null {
	const map: Record<string, unknown> = Object.create(null);
	for (let line = reader.lines[reader.at]; line?.indent === indent; line = reader.lines[reader.at]) {
		const [, name = '', space = '', rest = ''] = entryLine.exec(line.content) ?? [];
		if (!isKey(name) || Object.hasOwn(map, name)) return null;
		reader.at++;
		const start = { line: line.number, col: indent + 1 };
		const written = rest.startsWith('#') ? '' : rest;
		const value = written === '' ? start : { line: line.number, col: indent + name.length + 1 + space.length + 1 };
		reader.path.push(name);
		reader.mark?.(reader.path, start, value);
		const read = written === '' ? readBelow(reader, indent) : readInline(reader, written, value);
		reader.path.pop();
		if (read === undefined) return null;
		map[name] = read;
	}
	return map;
}

const isKey = (name: string) => name !== '' && name !== '__proto__' && !words.test(name);

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
		const value = /^- [^ ]/.test(line.content) ? scalar(withoutComment(line.content.slice(2))) : undefined;
		if (value === undefined) return null;
		markItem(reader, list.length, { line: line.number, col: indent + 3 });
		list.push(value);
		reader.at++;
	}
	return list;
}

function markItem(reader: Reader, at: number, place: Place): void {
	reader.mark?.([...reader.path, at], place, place);
}

/** What stands on the line of its key. */
function readInline(reader: Reader, text: string, place: Place): unknown {
	const written = withoutComment(text);
	const [open, close] = [written[0], written.at(-1)];
	if (open === '[' && close === ']') return readFlow(reader, written, place, null);
	if (open === '{' && close === '}') return readFlow(reader, written, place, Object.create(null));
	return scalar(written);
}

/** `[a, b]` or `{ a: b }`, of words and numbers. */
function readFlow(reader: Reader, written: string, place: Place, map: Record<string, unknown> | null): unknown {
	const list: unknown[] = [];
	const inner = written.slice(1, -1);
	if (inner.trim() === '') return map ?? list;
	if (/[^A-Za-z0-9_./@ ,:-]/.test(inner)) return undefined;
	let offset = 1;
	for (const piece of inner.split(',')) {
		const word = piece.trim();
		const at = { line: place.line, col: place.col + offset + (piece.length - piece.trimStart().length) };
		offset += piece.length + 1;
		if (map === null) {
			const value = word.includes(':') ? undefined : scalar(word);
			if (value === undefined) return undefined;
			markItem(reader, list.length, at);
			list.push(value);
		} else {
			const [, name = '', rest = ''] = inlineEntry.exec(word) ?? [];
			const value = !isKey(name) || Object.hasOwn(map, name) || rest.includes(':') ? undefined : scalar(rest);
			if (value === undefined) return undefined;
			reader.mark?.([...reader.path, name], at, { line: at.line, col: at.col + word.length - rest.length });
			map[name] = value;
		}
	}
	return map ?? list;
}

/** Outside of quotes a `#` after a space begins a comment. */
const withoutComment = (written: string): string => (/^["']/.test(written) ? written : written.replace(/ +#.*$/, ''));

function scalar(written: string): unknown {
	if (written.startsWith('"')) return quoted(written);
	if (/^'[^']+'$/.test(written)) return written.slice(1, -1);
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
