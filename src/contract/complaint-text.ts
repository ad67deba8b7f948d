import { plain, retryAfterSeconds } from './reset-time.ts';
import type { ServantComplaint } from './servant.ts';

export { resetTime } from './reset-time.ts';

type ComplaintClass = ServantComplaint['class'];

/**
 * The class of a complaint that is only known as text: the last resort, for complaint messages and stderr. Never to be
 * asked about a prompt or an answer, which may speak of rate limits without having hit one.
 */
export function classFromText(text: string): ComplaintClass {
	const said = plain(text);
	for (const [pattern, found] of patterns) {
		if (pattern.test(said)) return found === 'quota' ? quotaOrRate(said) : found;
	}
	const status = /(?:status|http|error)(?: code)?[:= (]{0,3}([45]\d\d)(?!\d)/i.exec(said) ?? /^\D{0,40}\b([45]\d\d) [A-Z]/.exec(said);
	return status ? classFromStatus(Number(status[1]), '') : null;
}

/** The class of an HTTP status; the message decides where one status means several things. */
export function classFromStatus(status: number | null, message: string): ComplaintClass {
	if (status === null) return classFromText(message);
	if (status === 401 || status === 403) return 'auth';
	if (status === 402) return 'quota';
	if (status === 413) return 'prompt_too_large';
	if (status === 429) return classFromText(message) === 'quota' ? 'quota' : 'rate_limit';
	if (status === 408 || status === 499) return 'network';
	if (status >= 500) return 'provider_unavailable';
	const said = classFromText(message);
	return status === 404 ? (said ?? 'config_error') : said;
}

/**
 * Whether an answer *is* a notice that nothing was answered. Only a short text that opens with the notice counts: a
 * review that talks about rate limits has headings, findings, and more to say.
 */
export function limitNotice(answer: string): ServantComplaint | null {
	const said = plain(answer).trim();
	if (said.length === 0 || said.length > 700 || said.split('\n').length > 8 || /^#{1,6} |^```/m.test(said)) return null;
	const lower = said.toLowerCase();
	for (const [hints, pattern, found] of notices) {
		if (!hints.some((words) => lower.includes(words)) || !pattern.test(said)) continue;
		const named = found === 'quota' ? quotaOrRate(said) : found;
		return { class: named, message: said, status: null, retryAfterSec: retryAfterSeconds(said), resetAt: null };
	}
	return null;
}

/** A limit that says when it ends is one to wait for; triage decides whether that is too long. */
const quotaOrRate = (said: string): ComplaintClass =>
	/per[ _-]?(?:minute|second)|try again (?:in|at)|\bresets? (?:at|in|on|\d)|limit reached\|\d/i.test(said) ? 'rate_limit' : 'quota';

// First match wins, so the particular stands before the general.
const patterns: readonly (readonly [RegExp, ComplaintClass])[] = [
	[/model returned an empty response|^no response was returned/i, 'empty'],
	[/max(?:imum)?[ _](?:number of |session )?turns|max_?session_?turns/i, 'max_steps'],
	[/maximum budget|max_budget/i, 'budget'],
	[/max_?output_?tokens|output token (?:maximum|limit)|finish[ _]?reason:? ?"?(?:length|max_tokens)/i, 'truncated'],
	[
		/(?:prompt|input|request|payload) (?:is )?too (?:long|large)|input_too_large|input exceeds the maximum length|context[ _](?:length|window)|token count .{0,40}exceeds|too many (?:input )?tokens|stdin input exceeds/i,
		'prompt_too_large',
	],
	[
		/credit balance|insufficient[_ ](?:quota|credits?|funds)|quota exceeded|exceeded your .{0,30}quota|exhausted your .{0,30}(?:quota|capacity)|usage limit|billing[_ ](?:error|hard)|out of credits|(?:hit|reached) your .{0,40}limit|payment required|premium requests? .{0,40}(?:exceeded|limit)/i,
		'quota',
	],
	[
		/rate[_ -]?limit|too many requests|resource[_ ](?:has been )?exhausted|requests per (?:minute|day)|tokens per min|throttl/i,
		'rate_limit',
	],
	[
		/api[ _-]?key[^\n]{0,30}(?:not valid|invalid|missing|expired|revoked)|(?:invalid|incorrect|missing|expired) (?:x-)?api[ _-]?key|api_key_invalid|unauthori[sz]ed|unauthenticated|authentication[_ ](?:failed|error|required)|not (?:logged|signed) in|(?:please|you must|need to) (?:run )?.{0,20}\/?log ?in\b|missing environment variable|must specify the \w{1,60} environment variable|set an auth method|no authentication information|invalid authentication|token (?:has )?expired|permission_?(?:denied on|error)|does not have permission to use/i,
		'auth',
	],
	[
		/model[^\n]{0,80}(?:does not exist|not found|may not exist|not supported|not available)|(?:unknown|invalid|unsupported) model|model_not_found|require an explicit model|unexpected argument|unknown (?:option|argument|flag)|invalid (?:option|argument|value|command format)|error loading config|no conversation found|invalid session identifier|no rollout found|no session, task, or name|not inside a trusted directory/i,
		'config_error',
	],
	[
		/overloaded|high demand|internal (?:server )?error|server[_ ](?:had an )?error|service unavailable|bad gateway|gateway time-?out|temporarily unavailable|model produced an error/i,
		'provider_unavailable',
	],
	[
		/econn(?:reset|refused|aborted)|enotfound|eai_again|etimedout|epipe|enetunreach|socket hang up|fetch failed|connection (?:to [^\n]{1,30} )?(?:was )?(?:lost|reset|refused|closed|error)|network error|stream (?:disconnected|ended without|error)|api error: terminated|getaddrinfo|certificate|timed? ?out|error (?:decoding response|sending request|reading a body)|malformed response|empty response|transport error/i,
		'network',
	],
	[/content[_ ]filter|safety (?:filter|policy|settings)|prohibited[_ ]content|violat\w{1,6} .{0,40}polic|\brefus(?:al|ed to)/i, 'refusal'],
];

/** A notice is a sentence of its own. "Rate limit exceeded errors are raised in …" goes on, and is an answer. */
const ends = [
	'(?: \\(\\d{3}\\))?(?: (?:on|for) (?:this|the|your) [\\w-]+)?',
	'(?=\\s*$|\\s*[:;·|\\n]|[.!](?:\\s|$)|[\\s,–—-]+(?:please|try again|retry|resets?|wait|upgrade)\\b',
	'| (?:for|in) [^\\n]{1,200}?(?:try again|retry after|resets? (?:at|in|on|\\d)))',
].join('');
const sentence = (words: string): RegExp => new RegExp(`^(?:error: |api error: )?(?:${words})${ends}`, 'i');

/** The words that a notice cannot do without stand first: looking for them takes no time, and compiling an expression ten milliseconds. */
const notices: readonly (readonly [readonly string[], RegExp, ComplaintClass])[] = [
	[['limit', 'quota'], sentence("you(?:'ve| have)? (?:hit|reached|exceeded|exhausted) your .{0,60}(?:limit|quota)"), 'quota'],
	[
		['limit'],
		sentence(
			"[\\w' ]{0,24}(?:usage|session|daily|weekly|monthly|5-hour|five-hour|spending|request) limit (?:reached|exceeded|has been (?:reached|exceeded|hit))",
		),
		'quota',
	],
	[['credit balance', 'quota'], sentence('(?:your )?credit balance is too low(?: to \\w+ [^.\\n]{1,40})?|quota exceeded'), 'quota'],
	[
		['rate limit', 'too many requests', '429'],
		sentence('rate limit(?:ed)? (?:exceeded|reached)|too many requests|request rejected \\(429\\)|429:? too many requests'),
		'rate_limit',
	],
	[
		['invalid api key', 'log', 'authentication'],
		sentence('invalid api key|not logged in|please (?:run \\/?login|log in)(?: to \\w+)?|authentication (?:failed|required)'),
		'auth',
	],
	[['too long'], sentence('(?:prompt|input) is too long(?: for (?:the )?requested model)?'), 'prompt_too_large'],
	[
		['overloaded', 'server error', 'service unavailable', 'bad gateway'],
		sentence('(?:5\\d\\d )?overloaded|5\\d\\d (?:internal server error|service unavailable|bad gateway)'),
		'provider_unavailable',
	],
	[
		['help with', 'assist', 'comply', 'continue with', 'fulfil', 'do that', 'engage', 'provide'],
		/^(?:i'm (?:very )?sorry,? ?(?:but )?|sorry,? ?(?:but )?|i apologi[sz]e,? ?(?:but )?|unfortunately,? )?i(?:'m| am)? (?:can't|cannot|can not|won't|will not|unable to|not able to|must decline to|have to decline to) (?:help with|assist|comply|continue with|fulfil|do that|engage|provide (?:that|this|help|assistance))/i,
		'refusal',
	],
];
