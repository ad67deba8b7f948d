import type { ErrorCode, YAMLError } from 'yaml';

/** A syntax error in words for somebody who does not know YAML's grammar. */
export function syntaxMessage({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
	if (code === 'MISSING_CHAR') return missing(message);
	if (code === 'BAD_INDENT') return indentation(message);
	return words[code] ?? 'this is not valid YAML';
}

export const openQuote = 'a quote is opened and not closed';
export const openBracket = 'a bracket is opened and not closed';

const words: Partial<Record<ErrorCode, string>> = {
	ALIAS_PROPS: 'an alias cannot have an anchor or a tag of its own',
	BAD_ALIAS: 'this alias is not valid',
	BAD_COLLECTION_TYPE: 'YAML tags are not supported here',
	BAD_DIRECTIVE: 'YAML directives (%) are not supported here',
	BAD_DQ_ESCAPE: 'unknown escape in double quotes; write \\\\ for a backslash, or use single quotes',
	BAD_PROP_ORDER: 'an anchor or tag stands in the wrong place',
	BAD_SCALAR_START: 'text cannot start with this character unless it is quoted',
	BLOCK_AS_IMPLICIT_KEY: 'a second "key:" within one value; quote the text, or put the keys on lines of their own below',
	BLOCK_IN_FLOW: 'a second "key:" within one value; quote the text',
	KEY_OVER_1024_CHARS: 'a key cannot be longer than 1024 characters',
	MULTILINE_IMPLICIT_KEY: 'expected "key: value" on one line',
	MULTIPLE_ANCHORS: 'a value cannot have two anchors',
	MULTIPLE_DOCS: 'a second YAML document starts here; only one is read',
	MULTIPLE_TAGS: 'YAML tags are not supported here',
	RESOURCE_EXHAUSTION: 'nested deeper than 100 levels',
	TAB_AS_INDENT: 'a tab is used for indentation; use spaces',
	TAG_RESOLVE_FAILED: 'YAML tags (!) are not supported here; quote the text if it starts with "!"',
	UNEXPECTED_TOKEN: 'this is not expected here; quote the text if it belongs to the value',
};

function missing(message: string): string {
	if (/quote/.test(message)) return openQuote;
	if (/map values/.test(message)) return 'expected "key: value"; the ":" is missing';
	if (/directives-end/.test(message)) return 'YAML directives (%) are not supported here';
	if (/must end with|Expected .* to end/.test(message)) return openBracket;
	return 'something is missing here: a comma, a space after ":", or a closing bracket';
}

function indentation(message: string): string {
	if (/Flow/.test(message)) return 'a bracket is opened above and not closed, or what is inside is not indented';
	return 'the indentation does not fit the lines above';
}
