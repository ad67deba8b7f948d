import { findPrivateKeys } from './private-keys.ts';
import type { Span } from './span.ts';

/**
 * Native expressions, for speed on megabytes. Each is linear by construction: it starts at a literal, every repetition is over one
 * class and bounded or last, and nothing behind an unbounded repetition can fail. A test runs each against its worst text.
 */
interface Secret {
	/** If none of these is in the text, neither is the secret. */
	readonly hints: readonly string[];
	/** With a group, only the group is the secret; it stands at the end of the match. */
	readonly pattern: RegExp;
	/** `next` is the character behind the match. */
	readonly accept?: (secret: string, next: string) => boolean;
}

export function findBuiltInSecrets(text: string): Span[] {
	return [...findPrivateKeys(text), ...secrets.flatMap((secret) => findSecret(text, secret))];
}

function findSecret(text: string, { hints, pattern, accept }: Secret): Span[] {
	if (hints.length > 0 && !hints.some((hint) => text.includes(hint))) return [];
	const spans: Span[] = [];
	for (const match of text.matchAll(pattern)) {
		const secret = match[1] ?? match[0];
		const end = match.index + match[0].length;
		if (accept && !accept(secret, text.charAt(end))) continue;
		spans.push([end - secret.length, end]);
	}
	return spans;
}

/**
 * A key with a known beginning. Keys that an editor or a mail program wrapped are found too: up to `length` characters may be
 * broken by newlines, and a following line that begins with more of the same belongs to a key that was longer still.
 */
function key(prefix: string, chars: string, length: number, least = Math.min(length, 20)): RegExp {
	const wrap = '(?:\\r?\\n[ \\t]{0,40})';
	const more = `(?:${wrap}(?=[${chars}]{0,80}[0-9])[${chars}]{16,})*`;
	return new RegExp(`(?<![A-Za-z0-9])${prefix}(?:(?:${wrap}?[${chars}]){${length}}[${chars}]*${more}|[${chars}]{${least},})`, 'g');
}

const strong = 'api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|passwords?|passwd|passphrase|pwd';
const words = `(?:${strong}|access[_-]?key(?:[_-]?id)?|account[_-]?key|private[_-]?key|token|credentials?)`;
const assigned = '(?:\\\\?["\'`])?[ \\t]{0,16}(?::=|=>|[:=])[ \\t]{0,16}';
const bare = '([^\\s"\'`,;(){}<>[\\]&|\\\\]{6,})';

const secrets: readonly Secret[] = [
	{ hints: ['AKIA', 'ASIA'], pattern: key('(?:AKIA|ASIA)', 'A-Z0-9', 16) },
	{ hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: key('gh[pousr]_', 'A-Za-z0-9', 36) },
	{ hints: ['github_pat_'], pattern: key('github_pat_', 'A-Za-z0-9_', 82) },
	{ hints: ['glpat-'], pattern: key('glpat-', 'A-Za-z0-9_-', 20) },
	{ hints: ['sk-'], pattern: key('sk-', 'A-Za-z0-9_-', 40) },
	{ hints: ['AIza'], pattern: key('AIza', 'A-Za-z0-9_-', 35) },
	{ hints: ['ya29.'], pattern: key('ya29\\.', 'A-Za-z0-9_-', 40) },
	{ hints: ['GOCSPX-'], pattern: key('GOCSPX-', 'A-Za-z0-9_-', 28) },
	{ hints: ['xox'], pattern: key('xox[a-z]-', 'A-Za-z0-9-', 24, 10) },
	{ hints: ['xapp-'], pattern: key('xapp-', 'A-Za-z0-9-', 40) },
	{ hints: ['hooks.slack.com'], pattern: /hooks\.slack\.com\/services\/([A-Za-z0-9/_-]{20,})/g },
	{ hints: ['npm_'], pattern: key('npm_', 'A-Za-z0-9', 36, 30) },
	{ hints: ['pypi-'], pattern: key('pypi-', 'A-Za-z0-9_-', 60, 40) },
	{ hints: ['hf_'], pattern: key('hf_', 'A-Za-z0-9', 34, 30) },
	{ hints: ['k_live_', 'k_test_'], pattern: key('[rsp]k_(?:live|test)_', 'A-Za-z0-9', 24, 16) },
	{ hints: ['whsec_'], pattern: key('whsec_', 'A-Za-z0-9', 32) },
	{ hints: ['dop_v1_'], pattern: key('dop_v1_', 'a-f0-9', 64, 40) },
	{ hints: ['SG.'], pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g },
	// The look-behind lets a run of characters start a match only once.
	{ hints: ['eyJ'], pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g },
	{
		hints: [],
		pattern: /\bauthorization["'`]?[ \t]{0,16}[:=][ \t]{0,16}["'`]?(?:bearer|basic|token)[ \t]{1,16}([A-Za-z0-9._~+/=-]{8,})/gi,
	},
	{ hints: [], pattern: /\bbearer[ \t]{1,16}([A-Za-z0-9._~+/=-]{16,})/gi, accept: (value) => /\d/.test(value) },
	// A password in an address; a placeholder such as ${PASSWORD} is none.
	{ hints: ['://'], pattern: /:\/\/[^\s/:@"'<>]{0,256}:((?![$<{[*])[^\s/"'<>]{1,512})(?=@)/g },
	{ hints: [], pattern: new RegExp(`${words}${assigned}\\\\?["'\`]([^\\s"'\`\\\\]{6,})`, 'gi'), accept: looksQuotedSecret },
	{ hints: [], pattern: new RegExp(`${words}${assigned}${bare}`, 'gi'), accept: looksBareSecret },
	// PASSWORD=correcthorse, as in an .env file
	{
		hints: [],
		pattern: new RegExp(`(?:${strong})=${bare}`, 'gi'),
		accept: (value, next) => /^\s?$|[&"'`]/.test(next) && !looksLikeCode(value, next),
	},
];

/** `password: "${PASSWORD}"`, `token: '<your token>'` and what was redacted before are no secrets. */
function looksQuotedSecret(value: string): boolean {
	return !/^(?:\$|<|\{|\[|%|\*+$|\.+$|process\.env)/.test(value);
}

/** Unquoted it may as well be prose or code: `password: string`. Something no word has must be in it. */
function looksBareSecret(value: string, next: string): boolean {
	return /[0-9!#^]/.test(value) && !looksLikeCode(value, next);
}

/** `$TOKEN`, `token = readToken2(…)`, `config.token2`, `unexpected token: src/a1.ts:12:3` */
function looksLikeCode(value: string, next: string): boolean {
	if (/^[$%*.@=]|^process\.env|^\/\//.test(value) || /[([{]/.test(next)) return true;
	return /^[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}){1,8}$|^[\w@./-]{1,300}\.[a-z]{1,5}(?::\d{1,9}){0,2}:?$/.test(value);
}
