import { records } from './git.ts';

/** `git status` in one call: where HEAD is, and every path that differs from it. */
export const statusArgs = [
	'status',
	'--porcelain=v2',
	'-z',
	'--branch',
	'--no-ahead-behind',
	'--untracked-files=all',
	'--ignored=matching',
	'--ignore-submodules=none',
	'--no-renames',
] as const;

export interface StatusEntry {
	/** As git has it: bytes, relative to the top of the repository. */
	readonly raw: Buffer;
	readonly xy: string;
	readonly staged: string | null;
	/** A submodule (`S…`, git's own flags) or an untracked repository (`R`); null for files. */
	readonly repository: string | null;
}

export interface Status {
	readonly head: string | null;
	readonly branch: string | null;
	readonly entries: readonly StatusEntry[];
	/** What git does not look at: files, and directories as a whole. */
	readonly ignored: ReadonlySet<string>;
}

export function parseStatus(output: Buffer): Status {
	let head: string | null = null;
	let branch: string | null = null;
	const entries: StatusEntry[] = [];
	const ignored = new Set<string>();
	const lines = records(output);
	for (let at = 0; at < lines.length; at += 1) {
		const line = lines[at];
		if (line === undefined) continue;
		const kind = String.fromCharCode(line[0] ?? 0);
		if (kind === '#') {
			const [, key, value] = line.toString('utf8').split(' ');
			if (key === 'branch.oid' && value !== '(initial)') head = value ?? null;
			if (key === 'branch.head' && value !== '(detached)') branch = line.toString('utf8').slice('# branch.head '.length);
		} else if (kind === '!') ignored.add(line.toString('utf8', 2).replace(/\/$/, ''));
		else if (kind === '?') entries.push(untracked(line.subarray(2)));
		else if (kind === '1' || kind === '2' || kind === 'u') {
			entries.push(tracked(line, { 1: 8, 2: 9, u: 10 }[kind]));
			// The old name of a rename follows as a record of its own.
			if (kind === '2') at += 1;
		}
	}
	return { head, branch, entries: merged(entries), ignored };
}

/** A file that was taken out of the index but left in place is listed twice, as deleted and as untracked. It is one file. */
function merged(entries: readonly StatusEntry[]): StatusEntry[] {
	const removed = new Map(entries.filter(({ xy }) => xy === 'D.').map((entry) => [entry.raw.toString('latin1'), entry]));
	const left = new Set<StatusEntry>();
	const single = entries.filter((entry) => {
		const twin = entry.xy === '??' ? removed.get(entry.raw.toString('latin1')) : undefined;
		if (twin !== undefined) left.add(twin);
		return twin === undefined;
	});
	return single.map((entry) => (left.has(entry) ? { ...entry, xy: 'D?' } : entry));
}

function untracked(raw: Buffer): StatusEntry {
	const isRepository = raw.at(-1) === 0x2f;
	return { raw: isRepository ? raw.subarray(0, -1) : raw, xy: '??', staged: null, repository: isRepository ? 'R' : null };
}

/** `1 XY sub mH mI mW hH hI path`, and two longer kinds that begin alike. */
function tracked(line: Buffer, fields: number): StatusEntry {
	const values: string[] = [];
	let start = 0;
	for (let field = 0; field < fields; field += 1) {
		const end = line.indexOf(0x20, start);
		values.push(line.toString('latin1', start, end));
		start = end + 1;
	}
	const [kind, xy = '..', sub = 'N...'] = values;
	const staged = kind === 'u' ? values.slice(3, 10).join(' ') : `${values[4]} ${values[7]}`;
	return { raw: line.subarray(start), xy, staged, repository: sub.startsWith('S') ? sub : null };
}
