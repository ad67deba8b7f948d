/** How quantities are written, wherever they are shown. */

export const money = (usd: number): string => `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toFixed(4)}`;

/** `12.3s`, `1m05s`, `2h03m`. */
export function seconds(sec: number): string {
	if (sec < 59.95) return `${sec.toFixed(1)}s`;
	return wholeSeconds(sec);
}

/** For something that is still counting: `12s`, `1m05s`, `2h03m`. */
export function wholeSeconds(sec: number): string {
	const all = Math.max(0, Math.round(sec));
	if (all < 60) return `${all}s`;
	if (all < 3600) return `${Math.floor(all / 60)}m${two(all % 60)}s`;
	return `${Math.floor(all / 3600)}h${two(Math.floor((all % 3600) / 60))}m`;
}

/** `1 task`, `2 tasks`. */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** `12,345`. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `12/13`, in the reader's own time zone; empty for something that is no time. */
export function monthDay(iso: string): string {
	const date = new Date(iso);
	return Number.isNaN(date.getTime()) ? '' : `${two(date.getMonth() + 1)}/${two(date.getDate())}`;
}

/** `14:05:09`, with the day in front when that is another day than `now`'s. */
export function timeOfDay(iso: string, now: number): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso;
	const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
	return new Date(now).toDateString() === date.toDateString() ? time : `${monthDay(iso)} ${time}`;
}

const two = (n: number): string => String(n).padStart(2, '0');
