/**
 * Rewrites an entry of `verify.allow_commands` so that no wildcard in it matches what a shell gives a meaning: `npm test.*` allows
 * `npm test -- --watch`, and never `npm test; curl …`. What the entry itself spells out (`a && b`, `\|`) still matches.
 * null: the entry has a construct that would match such characters unsaid; it then counts only as an exact command.
 */
export function tightenPattern(pattern: string): string | null {
	let out = '';
	for (let i = 0; i < pattern.length; ) {
		const token = tokenAt(pattern, i);
		const tight = tighten(token);
		if (tight === null) return null;
		out += tight;
		i += token.length;
	}
	return out;
}

/** Inside a class. `\x00-\x1f`: a newline ends a command as well as a semicolon. */
const meaningful = ';&|`$<>(){}\\\\!\\x00-\\x1f\\x7f';
const negated: Readonly<Record<string, string>> = { '\\S': '\\s', '\\W': '\\w', '\\D': '\\d' };

function tokenAt(pattern: string, at: number): string {
	const rest = pattern.slice(at);
	return (
		/^\\Q[\s\S]*?(?:\\E|$)|^\\[pP](?:\{[^}]*\}|.)|^\\[\s\S]|^\[\^?\]?(?:\[:[^\]]*:\]|\\[\s\S]|[^\]\\])*\]/.exec(rest)?.[0] ?? rest.charAt(0)
	);
}

function tighten(token: string): string | null {
	if (token === '.') return `[^${meaningful}]`;
	if (token === '\\s') return '[ \\t]';
	if (negated[token] !== undefined) return `[^${negated[token]}${meaningful}]`;
	if (/^\\[pPCXxBb]/.test(token)) return /^\\[bBx]/.test(token) ? token : null;
	if (!token.startsWith('[') || token.length === 1) return token;
	if (token.startsWith('[^')) return /\[:|\\[SWDpP]/.test(token) ? null : `[^${meaningful}${token.slice(2).replace(/^\]/, '\\]')}`;
	return namesOnlyWhatItSays(token) ? token.replaceAll('\\s', ' \\t') : null;
}

/** `[a-z_;]` says what it matches; `[ -~]`, `[\S]` and `[[:punct:]]` match more than one reads. */
function namesOnlyWhatItSays(token: string): boolean {
	if (/\\[SWDpPx0-7]/.test(token)) return false;
	if (/\[:(?!(?:alnum|alpha|digit|lower|upper|word|xdigit):\])/.test(token)) return false;
	const ranges = token.slice(1, -1).matchAll(/(\\?[\s\S])-(\\?[\s\S])/g);
	return [...ranges].every(([range]) => /^(?:[0-9]-[0-9]|[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(range));
}
