import { type Document, isAlias, isMap, isScalar, parseDocument, type Scalar, stringify } from 'yaml';

/**
 * A manifest's text with one value of its top level changed, or taken away (null). Everything else stays as it was typed: comments,
 * order, blank lines, quotes. Null if that cannot be done. The text must be YAML that reads as a map.
 */
export function setInManifest(text: string, key: string, value: string | null): string | null {
	const document = parseDocument(text, { keepSourceTokens: true });
	const wanted = { ...(document.toJS() as Record<string, unknown> | null) };
	if (value === null) delete wanted[key];
	else wanted[key] = value;
	// Rare spellings (flow maps, anchors, several lines) are written anew by the library, which keeps comments but not every space.
	for (const attempt of [() => splice(text, document, key, value), () => rewritten(document, key, value)]) {
		const written = attempt();
		if (written !== null && reads(written, wanted)) return written;
	}
	return null;
}

function splice(text: string, document: Document.Parsed, key: string, value: string | null): string | null {
	const map = document.contents;
	if (!isMap(map) || map.flow || map.items.length === 0) return null;
	const written = value === null ? '' : stringify(value, { lineWidth: 0 }).trimEnd();
	if (written.includes('\n')) return null;
	const newline = text.includes('\r\n') ? '\r\n' : '\n';
	const at = map.items.findIndex((item) => isScalar(item.key) && item.key.value === key);
	if (at === -1) return value === null ? text : insert(text, map.items, `${key}: ${written}`, newline);
	const pair = map.items[at]!;
	const keyRange = (pair.key as Scalar.Parsed).range;
	const valueRange = isScalar(pair.value) || isAlias(pair.value) ? pair.value.range : null;
	if (!keyRange || !valueRange) return null;
	if (value !== null) {
		const gap = text.slice(keyRange[1], valueRange[0]).endsWith(' ') ? '' : ' ';
		return `${text.slice(0, valueRange[0])}${gap}${written}${text.slice(valueRange[1])}`;
	}
	const from = text.lastIndexOf('\n', keyRange[0] - 1) + 1;
	const end = text.indexOf('\n', valueRange[1]);
	// A comment is the user's: it gets a line of its own.
	const comment = text.slice(valueRange[1], end === -1 ? undefined : end).trimStart();
	const next = comment.startsWith('#') ? text.indexOf('#', valueRange[1]) : end + 1;
	return `${text.slice(0, from)}${next === 0 ? '' : text.slice(next)}`;
}

/** After what names and routes the task, where a reader looks for it. */
function insert(text: string, items: readonly { key: unknown; value: unknown }[], line: string, newline: string): string | null {
	const front = ['task_id', 'goal', 'task_type'];
	const last = items.findLast((item) => isScalar(item.key) && front.includes(String(item.key.value)) && isScalar(item.value));
	const range = (last?.value as Scalar.Parsed | undefined)?.range;
	if (!range) return `${text}${text.endsWith('\n') ? '' : newline}${line}${newline}`;
	// A block scalar ends behind its newline, everything else before it.
	const end = text[range[1] - 1] === '\n' ? range[1] : text.indexOf('\n', range[1]) + 1;
	return end === 0 ? `${text}${newline}${line}${newline}` : `${text.slice(0, end)}${line}${newline}${text.slice(end)}`;
}

function reads(text: string, wanted: Record<string, unknown>): boolean {
	const document = parseDocument(text);
	if (document.errors.length > 0) return false;
	const sorted = (value: unknown) => JSON.stringify(Object.entries((value ?? {}) as object).sort(([a], [b]) => (a < b ? -1 : 1)));
	return sorted(document.toJS()) === sorted(wanted);
}

function rewritten(document: Document.Parsed, key: string, value: string | null): string | null {
	if (value === null) document.delete(key);
	else document.set(key, value);
	try {
		return document.toString({ lineWidth: 0 });
	} catch {
		// An alias elsewhere refers to the value that was there.
		return null;
	}
}
