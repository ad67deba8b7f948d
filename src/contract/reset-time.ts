/** When it may be tried again, as far as a message says so. Clock times without a zone are the machine's, as CLIs print them. */
export function resetTime(text: string, now: string): string | null {
	const said = plain(text);
	const base = Date.parse(now);
	if (Number.isNaN(base)) return null;
	try {
		const at = epoch(said) ?? stamp(said) ?? calendar(said, base) ?? clock(said, base) ?? later(said, base);
		return at === null || !Number.isFinite(at) ? null : new Date(at).toISOString();
	} catch {
		// A zone nobody knows, or a year nobody will see.
		return null;
	}
}

/** Seconds to wait, where a message names a duration (`try again in 1m30s`, `retry after 2s`). */
export function retryAfterSeconds(text: string): number | null {
	const named = /(?:again|retry|retry[- ]after|resets?|wait|available)[:=]? ?(?:in|after)?[:=]? ?(\d[\d.,a-z ]{0,60})/i.exec(plain(text));
	if (!named) return null;
	let seconds = 0;
	let rest = named[1]!;
	let part = lead.exec(rest);
	if (!part) return null;
	while (part) {
		seconds += Number(part[1]) * unitSeconds(part[2]!);
		rest = rest.slice(part[0].length).replace(/^(?:,| |and )+/i, '');
		part = lead.exec(rest);
	}
	return Number.isFinite(seconds) ? seconds : null;
}

/** Messages are short; what is longer is a dump whose ends say enough. Typographic apostrophes are made plain. */
export const plain = (text: string): string =>
	(text.length > 16_384 ? `${text.slice(0, 8192)}\n${text.slice(-8192)}` : text).replace(/[\u2018\u2019]/g, "'");

const lead = /^(\d+(?:\.\d+)?) ?(ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])/i;

function unitSeconds(unit: string): number {
	const u = unit.toLowerCase();
	if (u === 'ms' || u.startsWith('milli')) return 0.001;
	return u.startsWith('d') ? 86_400 : u.startsWith('h') ? 3600 : u.startsWith('m') ? 60 : 1;
}

const epoch = (said: string): number | null => {
	const found = /(?:reset\w{0,4}|limit reached|retry\w{0,4})[^\d\n]{0,20}(\d{10})(\d{3})?(?!\d)/i.exec(said);
	return found ? Number(found[1]) * 1000 + Number(found[2] ?? 0) : null;
};

const stamp = (said: string): number | null => {
	const found = /(?:reset\w{0,4}|again|until|retry)[^\n]{0,30}?(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/i.exec(
		said,
	);
	return found ? Date.parse(found[1]!) : null;
};

const ZONE = '(?: ?\\(?(UTC|GMT|[A-Z][A-Za-z]+/[A-Za-z_/]+)\\)?)?';
const DAY = new RegExp(
	`(?:again|resets?|until)(?: at| on)? ([A-Z][a-z]{2})[a-z]{0,6}\\.? (\\d{1,2})(?:st|nd|rd|th)?,?(?: (\\d{4}),?)?(?: at)? (\\d{1,2})(?::(\\d\\d))? ?([ap]m)?${ZONE}`,
	'i',
);
const HOUR = new RegExp(`(?:again|resets?|until)(?: at)? (\\d{1,2})(?::(\\d\\d))? ?([ap]m)?${ZONE}`, 'i');
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `try again at Nov 20th, 2026 7:55 AM` */
function calendar(said: string, base: number): number | null {
	const found = DAY.exec(said);
	const month = found ? months.indexOf(found[1]!.toLowerCase()) : -1;
	const hour = found ? hourOf(found[4]!, found[6]) : null;
	if (!found || month < 0 || hour === null) return null;
	const shift = offset(base, found[7]);
	const year = found[3] ? Number(found[3]) : new Date(base + shift).getUTCFullYear();
	return Date.UTC(year, month, Number(found[2]), hour, Number(found[5] ?? 0)) - shift;
}

/** `try again at 7:55 AM`, `resets 3pm (Europe/Berlin)`: the next time it is that late. */
function clock(said: string, base: number): number | null {
	const found = HOUR.exec(said);
	const hour = found ? hourOf(found[1]!, found[3]) : null;
	if (!found || hour === null || (found[2] === undefined && found[3] === undefined)) return null;
	const shift = offset(base, found[4]);
	const today = new Date(base + shift);
	const at = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate(), hour, Number(found[2] ?? 0)) - shift;
	return at > base ? at : at + 86_400_000;
}

const later = (said: string, base: number): number | null => {
	const seconds = retryAfterSeconds(said);
	return seconds === null ? null : base + seconds * 1000;
};

function hourOf(digits: string, half: string | undefined): number | null {
	const hour = Number(digits);
	if (half === undefined) return hour < 24 ? hour : null;
	if (hour < 1 || hour > 12) return null;
	return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

/** Milliseconds by which a zone (the machine's own, if none is named) is ahead of UTC at that instant. */
function offset(at: number, zone: string | undefined): number {
	if (zone === undefined) return -new Date(at).getTimezoneOffset() * 60_000;
	const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' });
	const local = Object.fromEntries(parts.formatToParts(at).map((part) => [part.type, Number(part.value)]));
	const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = local;
	return Date.UTC(year < 100 ? 2000 + year : year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
